import { isPlainObject } from '../base/canonical.ts';
import { isPrototypeName } from '../base/identifier.ts';
import { parseIsoTime } from '../base/iso-time.ts';
import { type Instant, instant } from '../base/time.ts';

/** What a field of a signal may hold, and the error if it does not. Values are never truncated or guessed. */
export type SignalProblemCode =
  | 'not_an_object'
  | 'unknown_kind'
  | 'unknown_field'
  | 'forbidden_field'
  | 'duplicate_field'
  | 'missing_field'
  | 'wrong_type'
  | 'out_of_range'
  | 'too_long'
  | 'too_deep';

export type BadSignal = {
  readonly kind: 'bad-signal';
  readonly code: SignalProblemCode;
  /** Says what is allowed. Repeats the field's name, but nothing of the value that was sent. */
  readonly message: string;
  readonly field?: string;
};

export type FieldReading<T> = { readonly kind: 'field'; readonly value: T } | BadSignal;
type Read<T> = (value: unknown, field: string) => FieldReading<T>;
/** JSON Schema of the values that a reader accepts. The API documentation is generated from it. */
export type FieldShape = Readonly<Record<string, unknown>>;
export type FieldReader<T> = Read<T> & { readonly shape: FieldShape };

export const reader = <T>(shape: FieldShape, read: Read<T>): FieldReader<T> => Object.assign(read, { shape });
const textOf = (minLength: number, maxLength: number): FieldShape => ({
  type: 'string',
  ...(minLength > 0 && { minLength }),
  maxLength,
});

export const ID_LENGTH_MAX = 256;
export const NAME_LENGTH_MAX = 200;
export const TEXT_LENGTH_MAX = 64 * 1_024;
export const INPUT_DEPTH_MAX = 32;
/** Total length of all texts and keys of an input; the largest common one is a file written in one call. */
export const INPUT_LENGTH_MAX = 256 * 1_024;
const INPUT_NODES_MAX = 20_000;

const good = <T>(value: T): FieldReading<T> => ({ kind: 'field', value });

export function badSignal(code: SignalProblemCode, message: string, field?: string): BadSignal {
  return { kind: 'bad-signal', code, message, ...(field === undefined ? {} : { field }) };
}

const wrongType = (field: string, allowed: string): BadSignal =>
  badSignal('wrong_type', `${field} must be ${allowed}`, field);
const outOfRange = (field: string, allowed: string): BadSignal =>
  badSignal('out_of_range', `${field} must be ${allowed}`, field);

export const text = reader(textOf(0, TEXT_LENGTH_MAX), (value, field) =>
  boundedText(value, field, 0, TEXT_LENGTH_MAX),
);
/** A text for people that fits on one line. */
export const label = reader(textOf(0, NAME_LENGTH_MAX), (value, field) =>
  boundedText(value, field, 0, NAME_LENGTH_MAX),
);
export const name = reader(textOf(1, NAME_LENGTH_MAX), (value, field) =>
  oneLine(value, field, NAME_LENGTH_MAX),
);
export const id = reader(textOf(1, ID_LENGTH_MAX), (value, field) => oneLine(value, field, ID_LENGTH_MAX));

/** A name that becomes a key of a record. */
export const key = reader(textOf(1, NAME_LENGTH_MAX), (value, field) => {
  const reading = oneLine(value, field, NAME_LENGTH_MAX);
  if (reading.kind === 'field' && isPrototypeName(reading.value))
    return outOfRange(field, 'a name that no object has by itself');
  return reading;
});

/** Ids and names are printed in terminals and logs, where control characters are dangerous. */
function oneLine(value: unknown, field: string, lengthMax: number): FieldReading<string> {
  const reading = boundedText(value, field, 1, lengthMax);
  if (reading.kind === 'field' && hasControl(reading.value))
    return outOfRange(field, 'without control characters');
  return reading;
}

function hasControl(value: string): boolean {
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
  }
  return false;
}

function boundedText(
  value: unknown,
  field: string,
  lengthMin: number,
  lengthMax: number,
): FieldReading<string> {
  const allowed = `a text of ${lengthMin} to ${lengthMax} characters`;
  if (typeof value !== 'string') return wrongType(field, allowed);
  if (value.length > lengthMax)
    return badSignal('too_long', `${field} must be ${allowed}, not ${value.length}`, field);
  return value.length < lengthMin ? outOfRange(field, allowed) : good(value);
}

export const flag = reader<boolean>({ type: 'boolean' }, (value, field) =>
  typeof value === 'boolean' ? good(value) : wrongType(field, 'true or false'),
);

/** A non-negative integer that a number holds exactly. */
export const count = reader({ type: 'integer', minimum: 0 }, (value, field) => whole(value, field, 0));
export const incarnation = reader({ type: 'integer', minimum: 1 }, (value, field) => whole(value, field, 1));

function whole(value: unknown, field: string, min: number): FieldReading<number> {
  const allowed = `a whole number of at least ${min}`;
  if (typeof value !== 'number') return wrongType(field, allowed);
  return Number.isSafeInteger(value) && value >= min ? good(value) : outOfRange(field, allowed);
}

export const exitCode = reader<number | null>({ type: ['integer', 'null'] }, (value, field) =>
  value === null || Number.isSafeInteger(value)
    ? good(value as number | null)
    : wrongType(field, 'a whole number or null'),
);

export const amount = upTo(Number.MAX_SAFE_INTEGER);
export const share = upTo(1);
export const percent = upTo(100);

function upTo(maximum: number): FieldReader<number> {
  const bound = maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum };
  return reader({ type: 'number', minimum: 0, ...bound }, (value, field) => within(value, field, maximum));
}

function within(value: unknown, field: string, max: number): FieldReading<number> {
  const allowed = max === Number.MAX_SAFE_INTEGER ? 'a number of at least 0' : `a number from 0 to ${max}`;
  if (typeof value !== 'number') return wrongType(field, allowed);
  // NaN fails both comparisons.
  return value >= 0 && value <= max ? good(value) : outOfRange(field, allowed);
}

const instantShape: FieldShape = { type: 'number', minimum: 0 };
const isoShape: FieldShape = { type: 'string', format: 'date-time' };

/** Milliseconds since 1970, or an ISO timestamp. */
export const time = reader<Instant>({ anyOf: [instantShape, isoShape] }, (value, field) => {
  const ms = typeof value === 'string' ? parseIsoTime(value) : value;
  const allowed = 'a timestamp such as 2026-01-24T10:00:00Z, or milliseconds since 1970';
  if (typeof ms !== 'number') return wrongType(field, allowed);
  return ms >= 0 && ms <= Number.MAX_SAFE_INTEGER ? good(instant(ms)) : outOfRange(field, allowed);
});

export const oneOf = <Word extends string>(words: readonly Word[]): FieldReader<Word> =>
  reader({ enum: words }, (value, field) => {
    const word = words.find((candidate) => candidate === value);
    return word === undefined ? wrongType(field, `one of ${words.join(', ')}`) : good(word);
  });

export const listOf = <T>(item: FieldReader<T>, itemsMax: number): FieldReader<readonly T[]> =>
  reader({ type: 'array', items: item.shape, maxItems: itemsMax }, (value, field) => {
    const allowed = `a list of at most ${itemsMax} entries`;
    if (!Array.isArray(value)) return wrongType(field, allowed);
    if (value.length > itemsMax)
      return badSignal('too_long', `${field} must be ${allowed}, not ${value.length}`, field);
    const items: T[] = [];
    for (const [index, each] of value.entries()) {
      const reading = item(each, `${field}[${index}]`);
      if (reading.kind !== 'field') return reading;
      items.push(reading.value);
    }
    return good(items);
  });

/** Any JSON value of bounded depth and size; the depth limit also stops cycles. */
export const json = reader<unknown>({ description: 'Any JSON.' }, (value, field) => {
  const budget = { nodes: INPUT_NODES_MAX, length: INPUT_LENGTH_MAX };
  return jsonProblem(value, field, INPUT_DEPTH_MAX, budget) ?? good(value);
});

type JsonBudget = { nodes: number; length: number };

function jsonProblem(
  value: unknown,
  field: string,
  depthLeft: number,
  budget: JsonBudget,
): BadSignal | undefined {
  budget.nodes -= 1;
  if (typeof value === 'string') budget.length -= value.length;
  // A list that is too long is refused before anything is made of it.
  if (budget.nodes < 0 || budget.length < 0 || (Array.isArray(value) && value.length > budget.nodes)) {
    return badSignal(
      'too_long',
      `${field} must hold at most ${INPUT_LENGTH_MAX} characters in ${INPUT_NODES_MAX} values`,
      field,
    );
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return undefined;
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlainObject(value)))
    return wrongType(field, 'JSON');
  if (depthLeft === 0)
    return badSignal('too_deep', `${field} must be nested at most ${INPUT_DEPTH_MAX} deep`, field);
  for (const [below, item] of Object.entries(value)) {
    if (below === '__proto__')
      return badSignal('forbidden_field', `${field} must not hold a key __proto__`, field);
    if (!Array.isArray(value)) budget.length -= below.length;
    const problem = jsonProblem(item, field, depthLeft - 1, budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
