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
  return `${Math.floor(length / DAY)} d`;
}

/** `4:05`, `1:02:09`: a fixed number of digits. "a moment" when the time has come: the next tick decides. */
export function countdown(ms: number): string {
  if (ms <= 0) return 'a moment';
  const left = Math.max(0, Math.ceil(ms / SECOND));
  const pad = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(left / 3_600);
  const minutes = Math.floor((left % 3_600) / 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(left % 60)}` : `${minutes}:${pad(left % 60)}`;
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

const stepWords: Readonly<Record<string, string>> = {
  nudge: 'nudge',
  escalate: 'ask a person',
  terminate: 'terminate',
  recover: 'recover',
  human: 'a person decides',
  close: 'close',
};
export const stepWord = (step: string): string => stepWords[step] ?? step;
