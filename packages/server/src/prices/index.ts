import { readFileSync } from 'node:fs';
import { invariant, type PriceTable } from '@holter/core';
import { parse } from 'yaml';
import { readPrices } from '../policy/index.ts';

/** The price list that Holter ships: `prices.yaml` of this package. */
export type ShippedPrices = {
  /** When the prices were taken from the vendors' pages, such as 2026-11-16. */
  readonly date: string;
  readonly sources: readonly string[];
  readonly table: PriceTable;
};

let shipped: ShippedPrices | null = null;

export function shippedPrices(): ShippedPrices {
  shipped ??= read(readFileSync(new URL('../../prices.yaml', import.meta.url), 'utf8'));
  return shipped;
}

function read(text: string): ShippedPrices {
  const { date, sources, prices } = parse(text) as ShippedPrices & { readonly prices: unknown };
  const { value, problems } = readPrices(prices, 'prices');
  invariant(
    value !== undefined && problems.length === 0,
    `prices.yaml: ${problems.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
  );
  return { date, sources, table: value };
}
