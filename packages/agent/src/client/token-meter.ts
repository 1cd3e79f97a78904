import type { ModelUse, SignalBody } from '@holter/core';

export type TokenUse = {
  /** Tokens used since the last report; the sum of the kinds below unless told. */
  readonly tokens?: number;
  /** Cost since the last report, where your program knows it; else it follows from the price of the model. */
  readonly costUsd?: number;
  /** Share of the context window in use now, 0 to 1. */
  readonly contextUse?: number;
  /** The model that used them, and how they are priced. */
  readonly model?: string;
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWriteHour?: number;
};

const KINDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour'] as const;
type Kinds = Record<(typeof KINDS)[number], number>;

/** A signal takes 16; further ones are counted without their model. */
const MODELS_MAX = 16;

/**
 * Running totals of this incarnation. The host reports what it used since the last report; the wire carries sums,
 * so that a lost or repeated request does not change the total.
 */
export class TokenMeter {
  total = 0;
  hasNews = false;
  private costUsd = 0;
  private contextUse: number | null = null;
  private readonly models = new Map<string, Kinds>();
  /** What was reported for the current incarnation. */
  private told: { total: number; costUsd: number; models: readonly ModelUse[] } = NOTHING;

  /** Returns whether the reported values were valid numbers. */
  add(use: TokenUse): boolean {
    const kinds = Object.fromEntries(KINDS.map((kind) => [kind, use[kind] ?? 0])) as Kinds;
    const { tokens = sumOf(kinds), costUsd = 0, contextUse, model } = use;
    if (![tokens, costUsd, ...Object.values(kinds)].every((n) => Number.isFinite(n) && n >= 0)) return false;
    this.total += Math.round(tokens);
    this.costUsd += costUsd;
    if (model !== undefined) this.addTo(model, kinds, 1);
    if (contextUse !== undefined) this.contextUse = contextUse;
    this.hasNews = true;
    return true;
  }

  /** A new incarnation counts from zero. */
  startOver(): void {
    this.total -= this.told.total;
    this.costUsd -= this.told.costUsd;
    for (const { model, ...kinds } of this.told.models) this.addTo(model, kinds as Kinds, -1);
    this.told = NOTHING;
  }

  takeNews(): SignalBody | null {
    if (!this.hasNews) return null;
    this.hasNews = false;
    const { total, costUsd, contextUse } = this;
    const models = [...this.models].map(([model, kinds]) => ({ model, ...kinds }));
    this.told = { total, costUsd, models };
    return {
      kind: 'tokens',
      total,
      costUsd,
      ...(models.length > 0 && { models }),
      ...(contextUse !== null && { contextUse }),
    };
  }

  private addTo(model: string, kinds: Kinds, sign: 1 | -1): void {
    const before = this.models.get(model);
    if (!before && this.models.size >= MODELS_MAX) return;
    const sums = KINDS.map((kind) => [kind, (before?.[kind] ?? 0) + sign * Math.round(kinds[kind])]);
    this.models.set(model, Object.fromEntries(sums) as Kinds);
  }
}

const NOTHING = { total: 0, costUsd: 0, models: [] } as const;

const sumOf = (kinds: Kinds): number => Object.values(kinds).reduce((sum, count) => sum + count, 0);
