import {
  type Budget,
  dayOf,
  emptyMeter,
  hours,
  type Instant,
  instant,
  type Meter,
  MICROS_PER_USD,
} from '@holter/core';
import { policyFor } from '../../policy/index.ts';
import { shippedPrices } from '../../prices/index.ts';
import type { SpendingKey, SpendingSum } from '../../store/spending.ts';
import { costPerHourOf } from '../fleet/fleet-row.ts';
import { defineRoute, type Route } from '../route.ts';
import { costPage, costQuery } from '../schema/cost.ts';
import type { CostPage } from '../types.ts';
import type { HttpContext } from './context.ts';

const SINCE_MS = hours(7 * 24);
const ROWS_DEFAULT = 100;
/** Groups whose budgets are shown. */
const GROUPS_MAX = 100;

const COLUMN = { agent: 'agentId', task: 'taskId', group: 'group', model: 'model', day: 'day' } as const;

type By = CostPage['by'];
type Pace = NonNullable<CostPage['rows'][number]['agent']>;

/** What agents have spent. An agent's token reads nobody's. */
export function costRoutes(context: HttpContext): readonly Route[] {
  const { store, clock, engine } = context.deps;
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/cost',
      summary: 'Tokens and cost by agent, task, group, model or day, and budgets of today.',
      access: ['viewer', 'operator', 'orchestrator'],
      query: costQuery,
      answers: { 200: { description: 'The most expensive first; days in order.', schema: costPage } },
      handle: async ({ query }): Promise<CostPage> => {
        const at = clock.now();
        const { by = 'agent', limit = ROWS_DEFAULT } = query;
        const from = dayOf(instant(query.since ?? at - SINCE_MS));
        const sums = await store.spending({ from, by: [COLUMN[by]], limit: limit + 1 });
        const [total = emptyMeter] = await store.spending({ from, by: [], limit: 1 });
        const shown = inOrder(by, sums.slice(0, limit));
        const paces = await pacesOf(context, shown, at);
        return {
          at,
          from,
          by,
          rows: shown.map((sum) => ({
            key: nameOf(by, sum.key),
            ...meterOf(sum),
            agent: paces.get(sum.key.agentId ?? '') ?? null,
          })),
          hasMore: sums.length > limit,
          total: meterOf(total),
          budgets: await budgetsOf(context, at),
          prices: { date: shippedPrices().date, ownCount: engine.currentPolicies.prices.length },
        };
      },
    }),
  ];
}

const inOrder = (by: By, sums: readonly SpendingSum[]): readonly SpendingSum[] =>
  by === 'day' ? [...sums].sort((a, b) => (b.key.day ?? 0) - (a.key.day ?? 0)) : sums;

const nameOf = (by: By, key: Partial<SpendingKey>): string | null =>
  by === 'day' ? new Date(key.day ?? 0).toISOString().slice(0, 10) : key[COLUMN[by]]?.toString() || null;

/** Corrections may leave a little less than nothing on a day. */
const notNegative = (value: number): number => Math.max(0, value);

function meterOf(meter: Meter): CostPage['total'] {
  const unpricedTokens = notNegative(meter.unpricedTokens);
  const isUnknown = meter.costMicros <= 0 && unpricedTokens > 0;
  return {
    tokens: notNegative(meter.tokens),
    input: notNegative(meter.input),
    output: notNegative(meter.output),
    cacheRead: notNegative(meter.cacheRead),
    cacheWrite: notNegative(meter.cacheWrite + meter.cacheWriteHour),
    costUsd: isUnknown ? null : notNegative(meter.costMicros) / MICROS_PER_USD,
    isReported: meter.reportedMicros > 0,
    unpricedTokens,
  };
}

/** How fast each agent spends, beside its progress. */
async function pacesOf(
  { deps, fleet }: HttpContext,
  sums: readonly SpendingSum[],
  at: Instant,
): Promise<ReadonlyMap<string, Pace>> {
  const ids = sums.flatMap(({ key }) => key.agentId ?? []);
  const agents = await deps.engine.readMany(ids);
  return new Map(
    agents.map(({ soft, hard }) => {
      const tokensPerMinute = fleet.entry(hard.agentId)?.pulse.tokensPerMinute(at) ?? 0;
      const pace = {
        group: hard.group,
        state: hard.health,
        tokensPerMinute,
        costPerHour: soft.costUsd > 0 ? costPerHourOf(soft, tokensPerMinute) : null,
        lastProgressAt: hard.progress?.at ?? null,
        endedAt: hard.end?.at ?? null,
      };
      return [hard.agentId, pace];
    }),
  );
}

async function budgetsOf({ deps }: HttpContext, at: Instant): Promise<CostPage['budgets']> {
  const { store, engine } = deps;
  const set = engine.currentPolicies;
  const [fleet = emptyMeter] = await store.spending({ from: at, by: [], limit: 1 });
  const groups = await store.spending({ from: at, by: ['group'], limit: GROUPS_MAX });
  const ofGroup = groups.flatMap((sum) => {
    const name = sum.key.group ?? '';
    const { budgets } = policyFor(set, '', '', name);
    return budgets.filter(({ scope }) => scope === 'group').map((each) => budgetOf(each, name, sum));
  });
  return [...set.dayBudget.map((each) => budgetOf(each, '', fleet)), ...ofGroup];
}

function budgetOf(budget: Budget, name: string, sum: Meter): CostPage['budgets'][number] {
  const { costUsdMax = null, tokensMax = null, warnAt, atLimit, scope } = budget;
  const spentUsd = notNegative(sum.costMicros) / MICROS_PER_USD;
  const spentTokens = notNegative(sum.tokens);
  const shares = [
    costUsdMax === null ? 0 : spentUsd / costUsdMax,
    tokensMax === null ? 0 : spentTokens / tokensMax,
  ];
  return {
    scope: scope as 'group' | 'day',
    name,
    spentUsd,
    limitUsd: costUsdMax,
    spentTokens,
    limitTokens: tokensMax,
    share: Math.max(...shares),
    warnAt,
    atLimit,
  };
}
