import type { Instant } from '../base/time.ts';

/** Tokens by how they are priced. */
export const TOKEN_KINDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour'] as const;
export type TokenKinds = Readonly<Record<(typeof TOKEN_KINDS)[number], number>>;

/** What one incarnation has used of one model, as running totals. */
export type ModelUse = {
  readonly model: string;
  /** Read by the model, not from its cache and not into it. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Written into the cache for an hour, which costs more than the usual five minutes. */
  readonly cacheWriteHour?: number;
  /** As the agent's own program reports it; then no price is looked up. */
  readonly costUsd?: number;
};

/** A signal may name this many models. */
export const MODEL_USES_MAX = 16;

/** Dollars per million tokens, for models of this name; `*` at its end stands for any rest. */
export type ModelPrice = TokenKinds & { readonly model: string };

/** The first that matches counts. */
export type PriceTable = readonly ModelPrice[];

/** What an input added to the books: one row per model. A correction may be negative. */
export type Spending = Meter & {
  readonly at: Instant;
  readonly agentId: string;
  readonly group: string;
  readonly taskId: string | null;
  /** Empty where it is not known. */
  readonly model: string;
};

/** Tokens, and what they cost as far as that is known. Money is in millionths of a dollar. */
export type Meter = TokenKinds & {
  /** All tokens; more than the sum of the kinds where an agent reports only a total. */
  readonly tokens: number;
  readonly costMicros: number;
  /** The part of `costMicros` that agents reported; the rest was computed from prices. */
  readonly reportedMicros: number;
  /** Tokens without a known price: their cost is not in `costMicros`. */
  readonly unpricedTokens: number;
};

export const METER_KEYS = [
  ...TOKEN_KINDS,
  'tokens',
  'costMicros',
  'reportedMicros',
  'unpricedTokens',
] as const satisfies readonly (keyof Meter)[];

export const emptyMeter: Meter = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  tokens: 0,
  costMicros: 0,
  reportedMicros: 0,
  unpricedTokens: 0,
};

export const MICROS_PER_USD = 1_000_000;

/** A date, `latest`, or the mark of a long context after the name that the price list has. */
const SAME_MODEL = /^(?:[-@](?:20\d{6}|latest))?(?:\[1m\])?$/;

/** Null where no entry matches: an unknown price is not zero. */
export function priceOf(prices: PriceTable, model: string): ModelPrice | null {
  for (const price of prices) if (isPriceOf(price.model, model)) return price;
  return null;
}

const isPriceOf = (name: string, model: string): boolean =>
  name.endsWith('*')
    ? model.startsWith(name.slice(0, -1))
    : model.startsWith(name) && SAME_MODEL.test(model.slice(name.length));

/** Dollars per million are millionths of a dollar per token. */
export const microsOf = (price: TokenKinds, tokens: TokenKinds): number =>
  Math.round(TOKEN_KINDS.reduce((sum, kind) => sum + price[kind] * tokens[kind], 0));

const DAY_MS = 86_400_000;

/** The beginning of the day, in UTC. */
export const dayOf = (at: Instant): Instant => (at - (at % DAY_MS)) as Instant;
export const nextDayOf = (at: Instant): Instant => (dayOf(at) + DAY_MS) as Instant;
