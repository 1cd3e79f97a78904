/**
 * Parses ISO 8601 timestamps: 2026-01-24T10:00:00Z, with an optional fraction and offset. Core must not use `Date`,
 * which also reads the clock, so the calendar arithmetic is done here. A timestamp without a zone is UTC. Such times
 * are shown to people and never count as freshness.
 */
const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Milliseconds since 1970 UTC; undefined if the text is not a timestamp or the day does not exist. */
export function parseIsoTime(text: string): number | undefined {
  const match = isoPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const isInCalendar = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  // A leap second is read as the first second of the next minute.
  if (!isInCalendar || hour > 23 || minute > 59 || second > 60) return undefined;
  const offsetMinutes = parseOffset(match[8]);
  if (offsetMinutes === undefined) return undefined;
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const minutes = daysSinceEpoch(year, month, day) * 1_440 + hour * 60 + minute - offsetMinutes;
  return minutes * 60_000 + second * 1_000 + milliseconds;
}

function parseOffset(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Howard Hinnant's days_from_civil: years begin in March, so that the leap day comes last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
