/** Numbers and times as text for people. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.round(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY) {
    const minutes = Math.floor((length % HOUR) / MINUTE);
    return minutes === 0 ? `${Math.floor(length / HOUR)} h` : `${Math.floor(length / HOUR)} h ${minutes} min`;
  }
  const days = Math.floor(length / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}

/** How long until something: `1 h 22 min`, `4 min`, `42 s`; seconds are named only when they matter. */
export function inTime(ms: number): string {
  const left = Math.ceil(ms / SECOND) * SECOND;
  if (left <= 0) return 'a moment';
  if (left < MINUTE || left >= 2 * MINUTE) return duration(left);
  const seconds = (left % MINUTE) / SECOND;
  return seconds === 0 ? '1 min' : `1 min ${seconds} s`;
}

/** Short enough for a column: `78 min`, `2.2 h`, `3 d`. */
export function brief(ms: number): string {
  if (ms < HOUR) return duration(ms);
  return ms < 48 * HOUR ? `${(ms / HOUR).toFixed(1)} h` : `${Math.floor(ms / DAY)} d`;
}

export const ago = (at: number | null, now: number): string =>
  at === null ? 'never' : now - at < 1_500 ? 'now' : `${duration(now - at)} ago`;

export function short(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)}B`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 10_000) return `${Math.round(value / 1e3)}k`;
  if (value >= 1_000) return `${(value / 1e3).toFixed(1)}k`;
  return String(Math.round(value));
}

export const dollars = (value: number): string =>
  value >= 100 ? `$${Math.round(value)}` : `$${value.toFixed(2)}`;

export const grouped = (value: number): string => value.toLocaleString('en-US');

export const bytes = (value: number): string => `${Math.round(value / (1024 * 1024))} MB`;

export function clockTime(at: number, withSeconds = true): string {
  const date = new Date(at);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  return withSeconds ? `${time}:${pad(date.getSeconds())}` : time;
}

export const dayName = (at: number): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const plain = (name: string): string => name.replaceAll(/[-_]/g, ' ').toLowerCase();

/** `1 agent`, `2 agents`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

const ENDINGS = ['th', 'st', 'nd', 'rd'] as const;
/** `1st`, `2nd`, `11th`. */
export function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${isTeen ? 'th' : (ENDINGS[n % 10] ?? 'th')}`;
}

const stepWords: Readonly<Record<string, string>> = {
  nudge: 'nudge',
  escalate: 'escalate',
  terminate: 'terminate',
  recover: 'restart',
  human: 'waiting for you',
  close: 'close',
};
export const stepWord = (step: string): string => stepWords[step] ?? step;

const causeWords: Readonly<Record<string, string>> = { operator: 'started by an operator' };
/** What an incident is about. */
export const causeWord = (cause: string): string => causeWords[cause] ?? plain(cause);

const holdWords: Readonly<Record<string, string>> = {
  'waiting-for-permission': 'waiting for your permission',
  'waiting-for-input': 'waiting for your answer',
  'paused-by-operator': 'monitoring paused',
};
/** Why an agent rightly does nothing. */
export const holdWord = (hold: string): string => holdWords[hold] ?? plain(hold);

const modeWords: Readonly<Record<string, string>> = {
  observe: 'Holter only watches',
  nudge: 'Holter may nudge',
  act: 'Holter may act',
};
export const modeWord = (mode: string): string => modeWords[mode] ?? mode;

/** Records carry a name, or the role of an unnamed token; older ones carry the id of the token, too. */
export function personOf(by: unknown): string {
  const said = typeof by === 'string' ? by : '';
  const named = /^(.{0,300}) \((?:operator|orchestrator|viewer) [^)]{0,300}\)$/.exec(said)?.[1];
  return named ?? said.replace(/^(operator|orchestrator)( .*)?$/, 'an $1');
}
