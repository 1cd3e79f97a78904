import type { Tokens } from './run-report.ts';

/** Dollars per million tokens. Models differ by a factor of fifty; the default is in the middle. */
export type Price = { readonly inUsd: number; readonly outUsd: number };

export const defaultPrice: Price = { inUsd: 3, outUsd: 15 };

const MILLION = 1_000_000;

/** Tokens from a cache cost about a tenth. */
const CACHED_SHARE = 0.1;

export const costOf = (tokens: Tokens, price: Price): number =>
  ((tokens.in - (1 - CACHED_SHARE) * tokens.cached) * price.inUsd + tokens.out * price.outUsd) / MILLION;

export const inDollars = (usd: number): string => `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;

/** "950", "18.2 k", "1.4 M". */
export function inTokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < MILLION ? `${(count / 1_000).toFixed(1)} k` : `${(count / MILLION).toFixed(1)} M`;
}
