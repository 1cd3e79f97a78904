import { isPrototypeName } from '../base/identifier.ts';
import { badSignal, type FieldReader, type FieldReading, type FieldShape } from './field.ts';

/** An object with named fields, each read by its own rule: a signal, or an object inside one. */
type Known<T> = { readonly read: FieldReader<T> /** For the reference. */; readonly says: string };
type Needed<T> = Known<T> & { readonly isNeeded: true };
type Optional<T> = Known<T> & { readonly isNeeded: false };

/** Exactly the fields of a type, needed where the type needs them; the compiler compares the two. */
export type FieldsOf<T> = {
  readonly [F in keyof T]-?: Record<never, never> extends Pick<T, F>
    ? Optional<Exclude<T[F], undefined>>
    : Needed<T[F]>;
};
export type Fields = Readonly<Record<string, Needed<unknown> | Optional<unknown>>>;

export const needed = <T>(read: FieldReader<T>, says: string): Needed<T> => ({ isNeeded: true, read, says });
export const maybe = <T>(read: FieldReader<T>, says: string): Optional<T> => ({
  isNeeded: false,
  read,
  says,
});

/** JSON Schema of such an object. */
export function shapeOf(fields: Fields): FieldShape {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { read, says }]) => [name, { ...read.shape, description: says }]),
    ),
    required: neededOf(fields),
    additionalProperties: false,
  };
}

/** Copies known fields into a new object. For an optional field, null means absent. */
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
  const record = raw as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  // `Object.keys` and an index, because this loop runs for every incoming signal.
  for (const written of Object.keys(record)) {
    if (ignored.includes(written)) continue;
    const name = Object.hasOwn(aliases, written) ? (aliases[written] ?? written) : written;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) return unknownField(fields, written, prefix);
    if (Object.hasOwn(result, name)) {
      return badSignal(
        'duplicate_field',
        `${prefix}${written} is given under two names`,
        `${prefix}${written}`,
      );
    }
    const value = record[written];
    if (value === undefined || (value === null && !known.isNeeded && name !== 'input')) continue;
    const reading = known.read(value, prefix === '' ? written : prefix + written);
    if (reading.kind !== 'field') return reading;
    result[name] = reading.value;
  }
  for (const name of neededOf(fields)) {
    if (!Object.hasOwn(result, name))
      return badSignal('missing_field', `${prefix}${name} is needed`, `${prefix}${name}`);
  }
  return { kind: 'field', value: result as T };
}

function unknownField(fields: Fields, written: string, prefix: string): FieldReading<never> {
  const shown = `${prefix}${written.slice(0, 64)}`;
  if (isPrototypeName(written))
    return badSignal('forbidden_field', `${shown} is not allowed as a field`, shown);
  return badSignal('unknown_field', `allowed fields: ${Object.keys(fields).join(', ')}`, shown);
}

/** Tables are created once and live for ever; so does the list of fields that each one needs. */
const neededByTable = new WeakMap<Fields, readonly string[]>();

function neededOf(fields: Fields): readonly string[] {
  const known = neededByTable.get(fields);
  if (known) return known;
  const names = Object.keys(fields).filter((name) => fields[name]?.isNeeded);
  neededByTable.set(fields, names);
  return names;
}
