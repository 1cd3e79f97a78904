import { dayOf, emptyMeter, METER_KEYS, type Meter, type Spending } from '@holter/core';
import { plainText } from './facts.ts';

/** What a row of the books is about. `taskId` and `model` are empty where they are not known. */
export type SpendingKey = {
  readonly day: number;
  readonly agentId: string;
  readonly group: string;
  readonly taskId: string;
  readonly model: string;
};

/** Rows of one agent and day; further tasks and models are booked together, because an agent names them itself. */
export const SPENDING_ROWS_MAX = 100;

export const keyOf = ({ at, agentId, group, taskId, model }: Spending): SpendingKey => ({
  day: dayOf(at),
  agentId,
  group,
  taskId: plainText(taskId ?? ''),
  model: plainText(model),
});

/** Where a row goes for which there is no room. */
export const crowdedKey = (key: SpendingKey): SpendingKey => ({ ...key, taskId: 'other', model: 'other' });

export type SpendingQuery = {
  /** Whole days from the one that contains this moment. */
  readonly from: number;
  /** Rows are added up for each combination of these; none is one sum of all. */
  readonly by: readonly (keyof SpendingKey)[];
  /** The most expensive first, then those with the most tokens. */
  readonly limit: number;
};

/** One sum, with the columns that were asked for. */
export type SpendingSum = Meter & { readonly key: Partial<SpendingKey> };

export function addMeters(a: Meter, b: Meter): Meter {
  const sum: Record<string, number> = {};
  for (const key of METER_KEYS) sum[key] = a[key] + b[key];
  return sum as Meter;
}

/** For stores that hold their rows in memory. */
export function sumSpending(
  rows: Iterable<readonly [SpendingKey, Meter]>,
  { from, by, limit }: SpendingQuery,
): readonly SpendingSum[] {
  const first = dayOf(from as Spending['at']);
  const sums = new Map<string, { readonly key: Partial<SpendingKey>; meter: Meter }>();
  for (const [row, meter] of rows) {
    if (row.day < first) continue;
    const key = Object.fromEntries(by.map((column) => [column, row[column]]));
    const name = JSON.stringify(key);
    const sum = sums.get(name) ?? { key, meter: emptyMeter };
    sum.meter = addMeters(sum.meter, meter);
    sums.set(name, sum);
  }
  return [...sums.values()]
    .map(({ key, meter }) => ({ ...meter, key }))
    .sort((a, b) => b.costMicros - a.costMicros || b.tokens - a.tokens || compare(a.key, b.key))
    .slice(0, limit);
}

const compare = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
