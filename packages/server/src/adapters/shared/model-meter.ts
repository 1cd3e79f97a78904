import { type Agent, MICROS_PER_USD, type ModelUse, type SignalBody, TOKEN_KINDS } from '@holter/core';

/** What has been counted before, by the agent's record, so that counting goes on after a restart of Holter. */
export type MeterStart = { readonly tokens: number; readonly models: readonly ModelUse[] };

/** A cost that Holter computed was not reported. */
export const meterStartOf = ({ soft, hard }: Agent): MeterStart => ({
  tokens: soft.tokens,
  models: (hard.spent?.models ?? []).map(
    ({ tokens: _sum, costMicros, reportedMicros, unpricedTokens: _unpriced, ...use }) => ({
      ...use,
      ...(reportedMicros !== undefined &&
        reportedMicros === costMicros && { costUsd: reportedMicros / MICROS_PER_USD }),
    }),
  ),
});

/** A signal takes 16; the last place is for all others. */
const MODELS_MAX = 15;
const OTHERS = 'other';
const NAME_LENGTH_MAX = 200;

/** Running totals by model, as signals carry them. */
export class ModelMeter {
  private tokens: number;
  private readonly models: Map<string, ModelUse>;

  constructor({ tokens, models }: MeterStart) {
    this.tokens = tokens;
    this.models = new Map(models.map((use) => [use.model, use]));
  }

  /** Adds what one message used. */
  add(use: ModelUse): void {
    // Names are printed in terminals.
    const name = use.model.replace(/\p{C}/gu, '').slice(0, NAME_LENGTH_MAX) || 'unknown';
    const model = this.models.has(name) || this.models.size < MODELS_MAX ? name : OTHERS;
    const before: ModelUse = this.models.get(model) ?? { model };
    const after: Record<string, number> = {};
    for (const kind of TOKEN_KINDS) {
      const added = Math.max(0, Math.round(use[kind] ?? 0));
      this.tokens = Math.min(this.tokens + added, Number.MAX_SAFE_INTEGER);
      after[kind] = Math.min((before[kind] ?? 0) + added, Number.MAX_SAFE_INTEGER);
    }
    const costUsd = use.costUsd === undefined ? before.costUsd : (before.costUsd ?? 0) + use.costUsd;
    this.models.set(model, { model, ...after, ...(costUsd !== undefined && { costUsd }) });
  }

  signal(contextUse: number): SignalBody {
    return { kind: 'tokens', total: this.tokens, models: [...this.models.values()], contextUse };
  }
}
