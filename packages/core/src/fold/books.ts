import type { Instant } from '../base/time.ts';
import type { Agent, Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import type { ModelTotal, Spent, Sum } from '../record/spent.ts';
import { carrySpent } from '../record/tasks.ts';
import {
  emptyMeter,
  METER_KEYS,
  type Meter,
  MICROS_PER_USD,
  type ModelUse,
  microsOf,
  type PriceTable,
  priceOf,
  type Spending,
  TOKEN_KINDS,
  type TokenKinds,
} from '../vocabulary/spending.ts';

/**
 * The books: what each agent has spent, by model. Agents report running totals, so a total that is lost or repeated
 * changes nothing; what a total has gained since the last booking goes to the store in the same commit as the record
 * that remembers it. A crash therefore books nothing twice and loses nothing that is reported again.
 */

/** Names beyond this many are booked together: an agent can invent any number of them. */
const MODELS_MAX = 6;
const OTHERS = 'other';
const UNKNOWN = '';

/** More in one run is not believed, so that no sum can overflow. */
const TOKENS_MAX = 1e12;
const MICROS_MAX = 1e9 * MICROS_PER_USD;

type Total = Meter & { readonly model: string };

/**
 * Takes the totals by model from a signal. The cost is the one that is reported for the model, or its part of the
 * one that is reported for all, or else follows from the price.
 */
export function foldModels(draft: Draft, uses: readonly ModelUse[], totalUsd: number | undefined): void {
  const { hard, prices } = draft;
  const models = new Map(namedOf(hard).map((total) => [total.model, total]));
  const grown = [...merged(uses, models)].map(([model, use]) => growthOf(models.get(model), model, use));
  if (grown.every(({ gained, ownMicros }) => tokensOf(gained) === 0 && !ownMicros)) return;
  const reported = microsOfUsd(totalUsd);
  const isTotalReported = reported > 0 && grown.every(({ ownMicros }) => ownMicros === null);
  const left = Math.max(0, reported - sumOf(totalsOf(hard), 'costMicros'));
  const parts = partsOf(grown, prices);
  for (const [index, { total, gained, ownMicros }] of grown.entries()) {
    const price = priceOf(prices, total.model);
    const told = isTotalReported ? Math.round(left * (parts[index] ?? 0)) : ownMicros;
    const tokens = tokensOf(gained);
    models.set(total.model, {
      ...addMeter(total, {
        ...gained,
        tokens,
        costMicros: told ?? (price ? microsOf(price, gained) : 0),
        reportedMicros: told ?? 0,
        unpricedTokens: told === null && !price ? tokens : 0,
      }),
      model: total.model,
    });
  }
  hard.spent = { ...hard.spent, models: [...models.values()].map(sparse) };
}

/** What all models together have cost so far, as far as that is known. */
export const knownCostUsd = (hard: Hard): number => sumOf(totalsOf(hard), 'costMicros') / MICROS_PER_USD;

/** Tokens that models read from their caches so far, as far as that is known. */
export const cachedTokens = (hard: Hard): number => sumOf(totalsOf(hard), 'cacheRead');

/**
 * Books what this input has added, for the task that was open before it. Totals without models are soft facts: they
 * are booked when they are judged, when the task changes, and at the end, or at once where a budget depends on them.
 */
export function keepBooks(draft: Draft, before: Hard, isTold: boolean): void {
  const { hard, soft, policy } = draft;
  const isOtherTask = hard.task?.id !== before.task?.id;
  const isJudged = hard.trail?.tokens !== before.trail?.tokens || (isTold && policy.budgets.length > 0);
  const isDue = hard.spent !== before.spent || isJudged || isOtherTask || hard.end !== undefined;
  if (isDue && (soft.tokens > 0 || soft.costUsd > 0)) {
    const rest = restOf({ soft, hard });
    draft.spending = rowsOf(before, totalsOf({ spent: { ...hard.spent, ...rest } }), draft.at);
    if (draft.spending.length > 0) hard.spent = spentWith(hard, rest, before.task?.id, draft.spending);
  }
  if (isOtherTask) Object.assign(hard, carrySpent(hard));
}

/** What a start that has a successor left unbooked, and what its successor takes over. */
export function closeBooks(
  { soft, hard }: Agent,
  at: Instant,
): { readonly rows: readonly Spending[]; readonly task: Spent['task'] } {
  const rest = restOf({ soft, hard });
  const rows = rowsOf(hard, totalsOf({ spent: { ...hard.spent, ...rest } }), at);
  const { task } = rows.length > 0 ? spentWith(hard, rest, hard.task?.id, rows) : (hard.spent ?? {});
  return { rows, task };
}

type Books = { readonly spent?: Spent | undefined };

const namedOf = ({ spent }: Books): readonly Total[] =>
  (spent?.models ?? []).map((total) => ({ ...emptyMeter, ...total }));

/** With what belongs to no known model: without a reported cost, it has no price. */
function totalsOf({ spent }: Books): readonly Total[] {
  const named = namedOf({ spent });
  const { rest: tokens = 0, restMicros: costMicros = 0 } = spent ?? {};
  if (tokens === 0 && costMicros === 0) return named;
  const unpricedTokens = costMicros > 0 ? 0 : tokens;
  const rest = { tokens, costMicros, reportedMicros: costMicros, unpricedTokens };
  return [...named, { ...emptyMeter, ...rest, model: UNKNOWN }];
}

type Rest = Required<Pick<Spent, 'rest' | 'restMicros'>>;

/** The tokens and the cost that no model accounts for. */
function restOf({ soft, hard }: Agent): Rest {
  const named = namedOf(hard);
  const rest = Math.max(0, Math.min(soft.tokens, TOKENS_MAX) - sumOf(named, 'tokens'));
  const restMicros = Math.max(0, microsOfUsd(soft.costUsd) - sumOf(named, 'costMicros'));
  return { rest, restMicros };
}

type Growth = {
  readonly total: Total;
  readonly gained: TokenKinds;
  /** Reported for this model; null if it was not. */
  readonly ownMicros: number | null;
};

function growthOf(before: Total | undefined, model: string, use: ModelUse): Growth {
  const total = before ?? { ...emptyMeter, model };
  const gained = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
  for (const kind of TOKEN_KINDS)
    gained[kind] = Math.max(0, Math.min(use[kind] ?? 0, TOKENS_MAX) - total[kind]);
  const ownMicros =
    use.costUsd === undefined ? null : Math.max(0, microsOfUsd(use.costUsd) - total.costMicros);
  return { total, gained, ownMicros };
}

/** By model; those for which there is no room are one. */
function merged(uses: readonly ModelUse[], known: ReadonlyMap<string, Total>): ReadonlyMap<string, ModelUse> {
  const byModel = new Map<string, ModelUse>();
  const names = new Set(known.keys());
  for (const use of uses) {
    const model = names.has(use.model) || names.size < MODELS_MAX ? use.model : OTHERS;
    names.add(model);
    const other = byModel.get(model);
    byModel.set(model, other ? together(other, use) : use);
  }
  return byModel;
}

function together(a: ModelUse, b: ModelUse): ModelUse {
  const sum: Record<string, number> = {};
  for (const key of [...TOKEN_KINDS, 'costUsd'] as const)
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  return { model: OTHERS, ...sum };
}

/** How a cost that is reported for all is divided: by price where all prices are known, else by tokens. */
function partsOf(grown: readonly Growth[], prices: PriceTable): readonly number[] {
  const priced = grown.map(({ total, gained }) => {
    const price = priceOf(prices, total.model);
    return price ? microsOf(price, gained) : null;
  });
  const isPriced = priced.every((micros, index) => micros || tokensOf(grown[index]?.gained) === 0);
  const weights = grown.map(({ gained }, index) => (isPriced ? (priced[index] ?? 0) : tokensOf(gained)));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => (sum === 0 ? 0 : weight / sum));
}

function rowsOf(before: Hard, after: readonly Total[], at: Instant): readonly Spending[] {
  const { agentId, group, task } = before;
  const known = totalsOf(before);
  const rows: Spending[] = [];
  for (const model of new Set([...known, ...after].map((total) => total.model))) {
    const old = known.find((total) => total.model === model) ?? emptyMeter;
    const now = after.find((total) => total.model === model) ?? emptyMeter;
    if (METER_KEYS.every((key) => now[key] === old[key])) continue;
    const gained: Record<string, number> = {};
    for (const key of METER_KEYS) gained[key] = now[key] - old[key];
    rows.push({ at, agentId, group, taskId: task?.id ?? null, model, ...(gained as Meter) });
  }
  return rows;
}

function spentWith(
  { spent }: Books,
  { rest, restMicros }: Rest,
  taskId: string | undefined,
  rows: readonly Spending[],
): Spent {
  const { rest: _rest, restMicros: _restMicros, task, ...others } = spent ?? {};
  const before: Sum = task && task.id === taskId ? task : { tokens: 0, costMicros: 0 };
  const sum = (key: keyof Sum): number => Math.max(0, before[key] + sumOf(rows, key));
  return {
    ...others,
    ...(rest !== 0 && { rest }),
    ...(restMicros !== 0 && { restMicros }),
    ...(taskId !== undefined && {
      task: { id: taskId, tokens: sum('tokens'), costMicros: sum('costMicros') },
    }),
  };
}

function sparse({ model, ...meter }: Total): ModelTotal {
  const kept: Record<string, number> = {};
  for (const key of METER_KEYS) if (meter[key] !== 0) kept[key] = meter[key];
  return { model, ...kept };
}

function addMeter(a: Meter, b: Meter): Meter {
  const sum: Record<string, number> = {};
  for (const key of METER_KEYS) sum[key] = a[key] + b[key];
  return sum as Meter;
}

const sumOf = (rows: readonly Meter[], key: keyof Meter): number =>
  rows.reduce((sum, row) => sum + row[key], 0);

const tokensOf = (kinds: TokenKinds | undefined): number =>
  TOKEN_KINDS.reduce((sum, kind) => sum + (kinds?.[kind] ?? 0), 0);

const microsOfUsd = (usd: number | undefined): number =>
  Math.min(Math.round((usd ?? 0) * MICROS_PER_USD), MICROS_MAX);
