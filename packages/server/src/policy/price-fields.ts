import type { ModelPrice, PriceTable } from '@holter/core';
import type { Field, PolicyProblem, Reading, Table } from './check.ts';
import { ranges } from './ranges.ts';
import { amount, mapOf } from './readers.ts';

const price = amount(ranges.price);

/** Dollars per million tokens. What is not written costs as much as other input. */
const PRICE_FIELDS = {
  input: price,
  output: price,
  cache_read: price,
  cache_write: price,
  cache_write_hour: price,
} as const satisfies Table;

const MODEL = /^[^\s*\p{C}]{1,128}\*?$/u;
const models = mapOf(
  PRICE_FIELDS,
  (name) => MODEL.test(name),
  'the name of a model, with * at its end for all that begin so',
);

/** Longer names first: the most exact one counts. */
export const readPrices = (raw: unknown, path: string): Reading<PriceTable> => {
  const reading = models.read(raw, path);
  const problems: PolicyProblem[] = [...reading.problems];
  const table: ModelPrice[] = [];
  for (const [model, { values, bad }] of reading.value ?? []) {
    const { input, output } = values;
    for (const key of ['input', 'output'] as const)
      if (values[key] === undefined && !bad.has(key))
        problems.push({ path: `${path}.${model}`, message: `needs ${key}, in dollars per million tokens` });
    if (input === undefined || output === undefined) continue;
    const { cache_read = input, cache_write = input, cache_write_hour = cache_write } = values;
    table.push({
      model,
      input,
      output,
      cacheRead: cache_read,
      cacheWrite: cache_write,
      cacheWriteHour: cache_write_hour,
    });
  }
  table.sort((a, b) => b.model.length - a.model.length);
  return problems.length > 0 ? { problems } : { value: table, problems };
};

export const pricesField: Field<PriceTable> = {
  takes: models.takes,
  read: readPrices,
  show: (table) =>
    Object.fromEntries(
      table.map(({ model, input, output, cacheRead, cacheWrite, cacheWriteHour }) => [
        model,
        {
          input,
          output,
          cache_read: cacheRead,
          cache_write: cacheWrite,
          cache_write_hour: cacheWriteHour,
        } satisfies Record<keyof typeof PRICE_FIELDS, number>,
      ]),
    ),
};
