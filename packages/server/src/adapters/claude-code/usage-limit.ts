import { type Instant, instant } from '@holter/core';

/** The reset is said in whole minutes. */
const AFTER_RESET_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** As the CLI ends a turn at a limit of the subscription; anchored, so that nothing else may stand beside it. */
const WORDS =
  /^You've hit your [\w ]{0,40}limit · resets (?:([A-Z][a-z]{2}) (\d{1,2})(?:,| at) )?(\d{1,2})(?::(\d{2}))?(am|pm) \(([\w/+-]{1,40})\)$/;
/** As services word it that the CLI passes on. */
const EPOCH = /^API Error: [^\n]{0,100}usage limit reached\|(\d{10})$/;

/**
 * When the usage limit resets that a turn ended at; null for any other text. Only for text that the CLI itself wrote:
 * what a model says must never put its agent on hold.
 */
export function limitResetOf(text: string, now: Instant): Instant | null {
  const [, epoch] = EPOCH.exec(text) ?? [];
  if (epoch !== undefined) return instant(Number(epoch) * 1_000 + AFTER_RESET_MS);
  const words = WORDS.exec(text);
  if (!words) return null;
  const [, month, day, hour, minute = '0', half, zone = ''] = words;
  const wall = wallClock(now, zone);
  if (!wall) return null;
  const minutes = ((Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * 60 + Number(minute);
  const days = month === undefined ? null : daysUntil(wall, MONTHS.indexOf(month.toLowerCase()), Number(day));
  // Without a date it is the next time that the clock shows this.
  const inMinutes =
    days === null
      ? (minutes - wall.minutes + DAY_MINUTES) % DAY_MINUTES
      : days * DAY_MINUTES + minutes - wall.minutes;
  return instant(now - (now % 60_000) + Math.max(0, inMinutes) * 60_000 + AFTER_RESET_MS);
}

type Wall = { readonly year: number; readonly month: number; readonly day: number; readonly minutes: number };

/** What a clock in this zone shows; null for a zone that is not known. */
function wallClock(now: Instant, timeZone: string): Wall | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric' },
      ...{ day: 'numeric', hour: 'numeric', minute: 'numeric' },
    });
    const parts = format.formatToParts(now);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
    return {
      year: part('year'),
      month: part('month') - 1,
      day: part('day'),
      minutes: part('hour') * 60 + part('minute'),
    };
  } catch {
    return null;
  }
}

function daysUntil({ year, month, day }: Wall, toMonth: number, toDay: number): number {
  // January comes after December.
  const toYear = toMonth < month ? year + 1 : year;
  return Math.round((Date.UTC(toYear, toMonth, toDay) - Date.UTC(year, month, day)) / 86_400_000);
}
