import { nearest } from './nearest.ts';

/** What is wrong with a configuration, where, and what would be right. */
export type PolicyProblem = { readonly path: string; readonly message: string };

/** What could be read, and everything that could not: the operator sees all problems at once. */
export type Reading<T> = { readonly value?: T; readonly problems: readonly PolicyProblem[] };

/** One setting: what it takes, how to read it, and how to show it again as an operator would write it. */
export type Field<T> = {
  /** For the reference: "a time from 1ms to 7d". */
  readonly takes: string;
  readonly read: (raw: unknown, path: string) => Reading<T>;
  readonly show: (value: T) => unknown;
};

/** Settings by dotted path. The nesting that an operator writes follows from the paths. */
export type Table = {
  readonly [path: string]: {
    readonly takes: string;
    readonly read: (raw: unknown, path: string) => Reading<unknown>;
    readonly show: (value: never) => unknown;
  };
};

type ValueOf<F> = F extends { readonly read: (raw: unknown, path: string) => Reading<infer T> } ? T : never;
export type Values<T extends Table> = { readonly [K in keyof T]: ValueOf<T[K]> };

export type TableReading<T extends Table> = {
  readonly values: Partial<Values<T>>;
  /** Where each value was written. */
  readonly paths: Partial<Readonly<Record<keyof T, string>>>;
  /** Settings that were written but could not be read: what depends on them is not judged further. */
  readonly bad: ReadonlySet<string>;
};

export const ok = <T>(value: T): Reading<T> => ({ value, problems: [] });
export const bad = (path: string, message: string): Reading<never> => ({ problems: [{ path, message }] });

type Tree = Map<string, Tree | { readonly leaf: string }>;

/** A reader of everything in the table. An empty section is as good as none; an unknown key is a problem. */
export function tableReader<T extends Table>(
  table: T,
): (raw: unknown, path: string) => Reading<TableReading<T>> {
  const tree = nest(Object.keys(table));

  return (raw, path) => {
    const problems: PolicyProblem[] = [];
    const values: Record<string, unknown> = {};
    const paths: Record<string, string> = {};
    const unreadable = new Set<string>();

    const walk = (node: Tree, section: unknown, at: string): void => {
      if (section === undefined || section === null) return;
      if (!isSection(section)) {
        problems.push({
          path: at,
          message: `must be a section with keys (${[...node.keys()].join(', ')}), not ${describe(section)}`,
        });
        return;
      }
      for (const key of Object.keys(section)) {
        const below = at === '' ? key : `${at}.${key}`;
        const child = node.get(key);
        if (child === undefined) {
          problems.push({ path: below, message: unknownKey(key, [...node.keys()], Object.keys(table)) });
        } else if (child instanceof Map) {
          walk(child, section[key], below);
        } else {
          const reading = table[child.leaf]?.read(section[key], below);
          problems.push(...(reading?.problems ?? []));
          if (reading?.value !== undefined) {
            values[child.leaf] = reading.value;
            paths[child.leaf] = below;
          }
          if (reading !== undefined && reading.problems.length > 0) unreadable.add(child.leaf);
        }
      }
    };

    walk(tree, raw, path);
    return {
      value: {
        values: values as Partial<Values<T>>,
        paths: paths as TableReading<T>['paths'],
        bad: unreadable,
      },
      problems,
    };
  };
}

function nest(paths: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    const keys = path.split('.');
    let node = root;
    for (const key of keys.slice(0, -1)) {
      const child = node.get(key);
      const next: Tree = child instanceof Map ? child : new Map();
      node.set(key, next);
      node = next;
    }
    node.set(keys.at(-1) ?? path, { leaf: path });
  }
  return root;
}

function unknownKey(key: string, siblings: readonly string[], everywhere: readonly string[]): string {
  const meant = nearest(key, siblings) ?? everywhere.find((path) => path.endsWith(`.${key}`));
  return meant === undefined
    ? `is not a known key; known here: ${siblings.join(', ')}`
    : `is not a known key; did you mean ${meant}?`;
}

export function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was written, short enough for a message. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return String(value);
}
