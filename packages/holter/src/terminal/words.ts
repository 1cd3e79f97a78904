import { between, type Instant, instant, inWords, milliseconds } from '@holter/core/time';

/** Nobody reads milliseconds, and "0 ms" reads like a mistake. */
const MOMENT_MS = 500;

/** "7 min ago", "just now", or "never". */
export function ago(at: number | null | undefined, now: Instant): string {
  if (at === null || at === undefined || at <= 0) return 'never';
  const passed = between(instant(at), now);
  return passed < MOMENT_MS ? 'just now' : `${inWords(passed)} ago`;
}

/** How long something has lasted: "7 min", or "<1 s". */
export function lasted(since: number, now: Instant): string {
  const passed = between(instant(since), now);
  return passed < MOMENT_MS ? '<1 s' : inWords(passed);
}

/** "in 4 min", or "now" when its time has come. */
export function until(at: number | null | undefined, now: Instant): string {
  if (at === null || at === undefined) return '';
  const left = at - now;
  return left < MOMENT_MS ? 'now' : `in ${inWords(milliseconds(left))}`;
}

/** The time of day in UTC. */
export const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 19);

export const moment = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19);

/** "1 agent", "3 agents". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** "1st", "2nd", "11th". */
export function nth(count: number): string {
  const isTeen = count % 100 > 10 && count % 100 < 14;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}

/** "950", "12k", "3.4M"; a dash where the number is not known. */
export function short(count: number | null): string {
  if (count === null) return '–';
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** "$3.40"; a dash where the cost is not known. */
export const dollars = (usd: number | null): string =>
  usd === null ? '–' : usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;

/** Lines of at most this width, broken between words; a longer word gets lines of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
    for (; line.length > width; line = line.slice(width)) lines.push(line.slice(0, width));
  }
  return [...lines, line];
}

/** Cut in the middle, because names differ at their ends. */
export function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const front = Math.ceil((width - 1) / 2);
  return `${text.slice(0, front)}…${text.slice(text.length - (width - 1 - front))}`;
}
