import { basename } from 'node:path';
import { type PriceTable, priceOf } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { JudgeSettings } from '../policy/index.ts';
import { metaJson, readMetaJson } from '../store/meta-json.ts';
import type { Store } from '../store/store.ts';
import type { ModelUse } from './ask-model.ts';

type BudgetContext = {
  readonly clock: Pick<Clock, 'now'>;
  readonly store: Pick<Store, 'getMeta' | 'swapMeta'>;
  /** The operator's prices, before those that Holter ships. */
  readonly prices: () => PriceTable;
  readonly settings: () => Pick<JudgeSettings, 'model' | 'tokensPerDay' | 'usdPerDay'>;
};

/** Of one day in UTC. */
type Spent = { readonly day: number; readonly tokens: number; readonly usd: number };

const KEY = 'judge-spent';
const VERSION = 1;
export const DAY_MS = 86_400_000;
const SWAPS_MAX = 5;
const MILLION = 1e6;

/**
 * What the judge may spend on a model in a day. The count is in the store: a restart does not begin it again, and
 * servers that share a database share it.
 */
export class ModelBudget {
  private readonly context: BudgetContext;

  constructor(context: BudgetContext) {
    this.context = context;
  }

  /** Why nothing may be spent now; null if something may. */
  async whyNot(): Promise<string | null> {
    const { tokensPerDay, usdPerDay } = this.context.settings();
    const spent = readSpent(await this.context.store.getMeta(KEY), this.today);
    if (spent.tokens >= tokensPerDay)
      return `the budget of the judge is used up (${tokensPerDay} tokens a day)`;
    if (usdPerDay === null) return null;
    if (this.price === null)
      return `judge.usd_per_day can't be kept: ${this.model} has no price; write it under prices`;
    return spent.usd >= usdPerDay ? `the budget of the judge is used up ($${usdPerDay} a day)` : null;
  }

  async charge(use: ModelUse): Promise<void> {
    const { store } = this.context;
    const { price } = this;
    const usd = price ? (use.input * price.input + use.output * price.output) / MILLION : 0;
    for (let swaps = 0; swaps < SWAPS_MAX; swaps += 1) {
      const before = await store.getMeta(KEY);
      const { day, ...spent } = readSpent(before, this.today);
      const after: Spent = { day, tokens: spent.tokens + use.input + use.output, usd: spent.usd + usd };
      if (await store.swapMeta(KEY, before, metaJson(VERSION, after))) return;
    }
  }

  private get price() {
    return priceOf(this.context.prices(), this.model);
  }

  /** A command is priced by its name. */
  private get model(): string {
    const { model } = this.context.settings();
    return model?.kind === 'command' ? basename(model.argv[0] ?? '') : (model?.name ?? '');
  }

  private get today(): number {
    return Math.floor(this.context.clock.now() / DAY_MS);
  }
}

function readSpent(value: string | null, day: number): Spent {
  const spent = value === null ? null : readMetaJson<Spent>(value, VERSION, 'what the judge has spent');
  return spent?.day === day ? spent : { day, tokens: 0, usd: 0 };
}
