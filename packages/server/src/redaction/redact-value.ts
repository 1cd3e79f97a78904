import { redact, redactNamed } from './redact.ts';
import { MARK } from './value-shape.ts';

/** Arguments of a call, without secrets. Returns the same value when there are none, which is nearly always. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactList(value) : redactRecord(value as Readonly<Record<string, unknown>>);
}

function redactRecord(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let clean: Record<string, unknown> | null = null;
  for (const [key, value] of Object.entries(record)) {
    const without = typeof value === 'string' ? redactNamed(key, value) : redactValue(value);
    if (without === value) continue;
    clean ??= { ...record };
    clean[key] = without;
  }
  return clean ?? record;
}

/** In a list of arguments the flag stands before its value: `["--password", "x"]`. */
function redactList(list: readonly unknown[]): readonly unknown[] {
  let clean: unknown[] | null = null;
  for (const [index, value] of list.entries()) {
    const before: unknown = list[index - 1];
    const isFlagged = typeof value === 'string' && typeof before === 'string' && /^--?\w/.test(before);
    const without = isFlagged ? redactFlagged(before, value) : redactValue(value);
    if (without === value) continue;
    clean ??= [...list];
    clean[index] = without;
  }
  return clean ?? list;
}

function redactFlagged(flag: string, value: string): string {
  const pair = `${flag} ${value}`;
  return redact(pair) === `${flag} ${MARK}` ? MARK : redact(value);
}
