import { type DurationMs, isAgentId, milliseconds, seconds } from '@holter/core';
import {
  bad,
  describe,
  type Field,
  isSection,
  ok,
  type PolicyProblem,
  type Reading,
  type Table,
  type TableReading,
  tableReader,
} from './check.ts';
import type { Range } from './ranges.ts';
import { parseBytes, parseDuration, showBytes, showDuration } from './units.ts';

/** The kinds of values that a setting may have. Each message says what is allowed, with its range. */

const timesOf = ({ min, max }: Range): string =>
  `${showDuration(milliseconds(min))} to ${showDuration(milliseconds(max))}`;
const numbersOf = ({ min, max }: Range): string => `from ${min} to ${max}`;
const sizesOf = ({ min, max }: Range): string => `${showBytes(min)} to ${showBytes(max)}`;

const isWithin = (value: number, range: Range): boolean => value >= range.min && value <= range.max;

/** A plain number means seconds, as in seed 000. */
function readDuration(raw: unknown, path: string, range: Range): Reading<DurationMs> {
  const value =
    typeof raw === 'number'
      ? milliseconds(Math.round(seconds(raw)))
      : typeof raw === 'string'
        ? parseDuration(raw)
        : undefined;
  // NaN is within nothing.
  if (value !== undefined && isWithin(value, range)) return ok(value);
  return bad(
    path,
    `must be ${timesOf(range)}, in seconds or with a unit (500ms, 90s, 15m, 2h, 1d), not ${describe(raw)}`,
  );
}

export const duration = (range: Range): Field<DurationMs> => ({
  takes: `time, ${timesOf(range)}`,
  read: (raw, path) => readDuration(raw, path, range),
  show: showDuration,
});

/** For keys that end in `_seconds`: shown as the number that the name asks for. */
export const inSeconds = (range: Range): Field<DurationMs> => ({
  takes: `seconds or time, ${timesOf(range)}`,
  read: (raw, path) => readDuration(raw, path, range),
  show: (value) => value / seconds(1),
});

/** A list of waits; each at least as long as the one before. */
export const backoffInSeconds = (range: Range, length: Range): Field<readonly DurationMs[]> => ({
  takes: `list of ${length.min} to ${length.max} waits in seconds, each at least as long as the one before`,
  read: (raw, path) => {
    if (!Array.isArray(raw) || !isWithin(raw.length, length)) {
      return bad(
        path,
        `must be a list of ${length.min} to ${length.max} waits in seconds, such as [60, 120, 240], not ${describe(raw)}`,
      );
    }
    const problems: PolicyProblem[] = [];
    const waits: DurationMs[] = [];
    raw.forEach((item: unknown, index) => {
      const reading = readDuration(item, `${path}[${index}]`, range);
      problems.push(...reading.problems);
      if (reading.value === undefined) return;
      const before = waits.at(-1);
      if (before !== undefined && reading.value < before) {
        problems.push({
          path: `${path}[${index}]`,
          message: `must be at least the wait before it (${showDuration(before)}), not ${describe(item)}`,
        });
      }
      waits.push(reading.value);
    });
    return problems.length > 0 ? { problems } : ok(waits);
  },
  show: (waits) => waits.map((wait) => wait / seconds(1)),
});

export const count = (range: Range): Field<number> => ({
  takes: `whole number ${numbersOf(range)}`,
  read: (raw, path) =>
    typeof raw === 'number' && Number.isInteger(raw) && isWithin(raw, range)
      ? ok(raw)
      : bad(path, `must be a whole number ${numbersOf(range)}, not ${describe(raw)}`),
  show: (value) => value,
});

export const amount = (range: Range): Field<number> => ({
  takes: `number ${numbersOf(range)}`,
  read: (raw, path) =>
    typeof raw === 'number' && isWithin(raw, range)
      ? ok(raw)
      : bad(path, `must be a number ${numbersOf(range)}, not ${describe(raw)}`),
  show: (value) => value,
});

export const bytes = (range: Range): Field<number> => ({
  takes: `size, ${sizesOf(range)}`,
  read: (raw, path) => {
    const value = typeof raw === 'number' ? raw : typeof raw === 'string' ? parseBytes(raw) : undefined;
    if (value !== undefined && Number.isInteger(value) && isWithin(value, range)) return ok(value);
    return bad(
      path,
      `must be ${sizesOf(range)}, in bytes or with a unit (512MB, 2GB, 2GiB), not ${describe(raw)}`,
    );
  },
  show: showBytes,
});

export const flag: Field<boolean> = {
  takes: 'true or false',
  read: (raw, path) =>
    typeof raw === 'boolean' ? ok(raw) : bad(path, `must be true or false, not ${describe(raw)}`),
  show: (value) => value,
};

export const agentName: Field<string> = {
  takes: 'name of 1 to 128 of A-Z a-z 0-9 . _ @ : -',
  read: (raw, path) =>
    typeof raw === 'string' && isAgentId(raw)
      ? ok(raw)
      : bad(path, `must be a name of 1 to 128 of A-Z a-z 0-9 . _ @ : -, not ${describe(raw)}`),
  show: (value) => value,
};

export const pathOf = (what: 'file' | 'folder'): Field<string> => ({
  takes: `path of a ${what}`,
  read: (raw, path) =>
    typeof raw === 'string' && /^[^\0]{1,4096}$/.test(raw)
      ? ok(raw)
      : bad(path, `must be the path of a ${what}, not ${describe(raw)}`),
  show: (value) => value,
});

export const oneOf = <Word extends string>(words: readonly Word[]): Field<Word> => ({
  takes: words.join(', '),
  read: (raw, path) => {
    const word = words.find((candidate) => candidate === raw);
    return word === undefined
      ? bad(path, `must be one of ${words.join(', ')}, not ${describe(raw)}`)
      : ok(word);
  },
  show: (value) => value,
});

/** `none` lifts a limit that a wider layer has set. */
export const orNone = <T>(field: Field<T>): Field<T | 'none'> => ({
  takes: `${field.takes}, or none`,
  read: (raw, path) => {
    if (raw === 'none') return ok('none' as const);
    const reading = field.read(raw, path);
    return {
      ...reading,
      problems: reading.problems.map((problem) => ({
        ...problem,
        message: `${problem.message}; none lifts it`,
      })),
    };
  },
  show: (value) => (value === 'none' ? value : field.show(value)),
});

/** Null when it is not written, or written as `none`. */
export const optional = <T>(field: Field<T>): Field<T | null> => ({
  takes: `${field.takes}, or none`,
  read: (raw, path) => (raw === 'none' ? ok(null) : field.read(raw, path)),
  show: (value) => (value === null ? 'none' : field.show(value)),
});

export const names = (length: Range, pattern: RegExp): Field<readonly string[]> => ({
  takes: `list of ${length.min} to ${length.max} names`,
  read: (raw, path) => {
    const isList = Array.isArray(raw) && isWithin(raw.length, length);
    return isList && raw.every((item) => typeof item === 'string' && pattern.test(item))
      ? ok(raw as readonly string[])
      : bad(
          path,
          `must be a list of ${length.min} to ${length.max} names (${pattern.source}), not ${describe(raw)}`,
        );
  },
  show: (value) => value,
});

/** A program and its arguments. */
export const argv = names({ min: 1, max: 64 }, /^[^\0]{1,4096}$/);

/** A section whose keys the operator chooses, such as agent ids. */
export function mapOf<T extends Table>(
  table: T,
  isName: (name: string) => boolean,
  allowed: string,
): Field<ReadonlyMap<string, TableReading<T>>> {
  const readEntry = tableReader(table);
  return {
    takes: `section; each key is ${allowed}`,
    read: (raw, path) => {
      const entries = new Map<string, TableReading<T>>();
      if (raw === null || raw === undefined) return ok(entries);
      if (!isSection(raw)) return bad(path, `must be a section; each key ${allowed}; not ${describe(raw)}`);
      const problems: PolicyProblem[] = [];
      for (const name of Object.keys(raw)) {
        if (!isName(name)) {
          problems.push({
            path: `${path}.${name.slice(0, 64)}`,
            message: `is not a valid name; must be ${allowed}`,
          });
          continue;
        }
        const reading = readEntry(raw[name], `${path}.${name}`);
        problems.push(...reading.problems);
        if (reading.value !== undefined) entries.set(name, reading.value);
      }
      return { value: entries, problems };
    },
    show: (entries) =>
      Object.fromEntries([...entries].map(([name, entry]) => [name, showEntry(table, entry)])),
  };
}

function showEntry(table: Table, entry: TableReading<Table>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(entry.values).map(([path, value]) => [path, table[path]?.show(value as never)]),
  );
}
