import type { Usage } from '../shared/transcript.ts';

/** The parts of what was read that have prices of their own. */
export type PricedUsage = Usage & { readonly cacheWrite: number; readonly cacheRead: number };

/** Dollars per million tokens, by family; what is not known is counted as the middle one. */
const PRICES: readonly [family: RegExp, inUsd: number, outUsd: number][] = [
  [/opus-4-[5-9]|opus-[5-9]/, 5, 25],
  [/opus/, 15, 75],
  [/haiku/, 1, 5],
  [/./, 3, 15],
];
const MILLION = 1_000_000;
/** Reading from the cache costs a tenth, writing into it a quarter more. */
const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;

export function costUsdOf(model: string, usage: PricedUsage): number {
  const [, inUsd, outUsd] = PRICES.find(([family]) => family.test(model)) ?? [/./, 3, 15];
  const fresh = usage.in - usage.cacheRead - usage.cacheWrite;
  const read = fresh + usage.cacheRead * CACHE_READ + usage.cacheWrite * CACHE_WRITE;
  return (read * inUsd + usage.out * outUsd) / MILLION;
}

/**
 * Tokens that fit into the model's context. A transcript does not say which window was chosen, so the largest
 * is taken where there are two: a context is rather called too empty than full by mistake.
 */
export const windowOf = (model: string): number => (/haiku|claude-3/.test(model) ? 200_000 : MILLION);
