import { isPrototypeName } from './identifier.ts';
import { badSignal, type FieldReader, type FieldReading } from './signal-field.ts';

/** An object with named fields, each read by its own rule: a signal, or something inside one. */
type Needed<T> = { readonly isNeeded: true; readonly read: FieldReader<T> };
type Optional<T> = { readonly isNeeded: false; readonly read: FieldReader<T> };

/** Exactly the fields of a type, and needed where it needs them: the compiler compares table and type. */
export type FieldsOf<T> = {
  readonly [F in keyof T]-?: Record<never, never> extends Pick<T, F>
    ? Optional<Exclude<T[F], undefined>>
    : Needed<T[F]>;
};
export type Fields = Readonly<Record<string, Needed<unknown> | Optional<unknown>>>;

export const needed = <T>(read: FieldReader<T>): Needed<T> => ({ isNeeded: true, read });
export const maybe = <T>(read: FieldReader<T>): Optional<T> => ({ isNeeded: false, read });

/** Known fields only, in a new object. For an optional field null is as good as nothing. */
export function readFields<T>(
  fields: Fields,
  raw: unknown,
  aliases: Readonly<Record<string, string>>,
  prefix: string,
  ignored: readonly string[],
): FieldReading<T> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return badSignal('wrong_type', `${prefix.slice(0, -1)} must be an object`, prefix.slice(0, -1));
  }
  const result: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(raw)) {
    if (ignored.includes(written)) continue;
    const shown = `${prefix}${written.slice(0, 64)}`;
    if (isPrototypeName(written))
      return badSignal('forbidden_field', `${shown} is not allowed as a field`, shown);
    const name = Object.hasOwn(aliases, written) ? (aliases[written] ?? written) : written;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined)
      return badSignal('unknown_field', `allowed fields: ${Object.keys(fields).join(', ')}`, shown);
    if (Object.hasOwn(result, name))
      return badSignal('duplicate_field', `${shown} is given under two names`, shown);
    if (value === undefined || (value === null && !known.isNeeded && name !== 'input')) continue;
    const reading = known.read(value, shown);
    if (reading.kind !== 'field') return reading;
    result[name] = reading.value;
  }
  for (const [name, { isNeeded }] of Object.entries(fields)) {
    if (isNeeded && !Object.hasOwn(result, name))
      return badSignal('missing_field', `${prefix}${name} is needed`, `${prefix}${name}`);
  }
  return { kind: 'field', value: result as T };
}
