import { type DurationMs, milliseconds } from '@holter/core/time';

/** People write '15m' and '2GB'; the rules count milliseconds and bytes. One unit per value: '90m', not '1h30m'. */
const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As the standards have it: KB is a thousand bytes, KiB is 1,024. */
const byteUnits = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
} as const;

const quantity = /^(\d{1,15}(?:\.\d{1,6})?)\s?([A-Za-z]{1,3})$/;

/** '90s', '15m', '2h', '500ms', '1d'; undefined for anything else. Whole milliseconds. */
export function parseDuration(text: string): DurationMs | undefined {
  const amount = parseQuantity(text, durationUnits);
  return amount === undefined ? undefined : milliseconds(Math.round(amount));
}

/** '512MB', '2GiB'; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const amount = parseQuantity(text, byteUnits);
  return amount === undefined ? undefined : Math.round(amount);
}

function parseQuantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = quantity.exec(text);
  const unit = match?.[2];
  if (unit === undefined || !Object.hasOwn(units, unit)) return undefined;
  return Number(match?.[1]) * (units[unit] ?? 1);
}

/** The largest unit that says it exactly, so that what is shown can be pasted back: 900,000 is '15m'. */
export function showDuration(duration: DurationMs): string {
  return showQuantity(duration, durationUnits, 'ms');
}

export function showBytes(bytes: number): string {
  return showQuantity(bytes, byteUnits, 'B');
}

function showQuantity(amount: number, units: Readonly<Record<string, number>>, smallest: string): string {
  if (amount === 0) return `0${smallest === 'ms' ? 's' : smallest}`;
  let best = smallest;
  for (const [unit, size] of Object.entries(units)) {
    if (amount % size === 0 && size > (units[best] ?? 1)) best = unit;
  }
  return `${amount / (units[best] ?? 1)}${best}`;
}
