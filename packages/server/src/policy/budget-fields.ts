import type { Budget, BudgetScope, BudgetStep } from '@holter/core';
import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { amount, count, oneOf, orNone } from './readers.ts';

const usd = orNone(amount(ranges.costUsd));
const tokens = orNone(count(ranges.tokens));
const warnAt = amount(ranges.warnAt);
const atLimit = oneOf<BudgetStep>(['warn', 'nudge', 'escalate', 'stop']);

/** Budgets that may differ from role to role, group to group and agent to agent. */
export const BUDGET_FIELDS = {
  'budgets.run.usd': usd,
  'budgets.run.tokens': tokens,
  'budgets.run.warn_at': warnAt,
  'budgets.run.at_limit': atLimit,
  'budgets.task.usd': usd,
  'budgets.task.tokens': tokens,
  'budgets.task.warn_at': warnAt,
  'budgets.task.at_limit': atLimit,
  'budgets.agent.usd': usd,
  'budgets.agent.tokens': tokens,
  'budgets.agent.warn_at': warnAt,
  'budgets.agent.at_limit': atLimit,
  'budgets.group.usd': usd,
  'budgets.group.tokens': tokens,
  'budgets.group.warn_at': warnAt,
  'budgets.group.at_limit': atLimit,
} as const satisfies Table;

/** The budget of the whole fleet. */
export const DAY_BUDGET_FIELDS = {
  'budgets.day.usd': usd,
  'budgets.day.tokens': tokens,
  'budgets.day.warn_at': warnAt,
  'budgets.day.at_limit': atLimit,
} as const satisfies Table;

type Keyed = `budgets.${BudgetScope}.${'usd' | 'tokens' | 'warn_at' | 'at_limit'}`;

/**
 * No budget until the operator sets one; then people are warned at four fifths of it, and asked at its end. Of a budget
 * that many share they are only told: a question about each of a thousand agents is no help.
 */
const defaultsOf = (scope: BudgetScope): Partial<Record<Keyed, unknown>> => ({
  [`budgets.${scope}.usd`]: 'none',
  [`budgets.${scope}.tokens`]: 'none',
  [`budgets.${scope}.warn_at`]: 0.8,
  [`budgets.${scope}.at_limit`]: scope === 'group' || scope === 'day' ? 'warn' : 'escalate',
});

const OWN_SCOPES = ['run', 'task', 'agent', 'group'] as const;

export const defaultBudgetSettings = Object.assign({}, ...OWN_SCOPES.map(defaultsOf)) as BudgetSettings;
export const defaultDayBudget = defaultsOf('day') as DayBudgetSettings;

type BudgetSettings = Values<typeof BUDGET_FIELDS>;
type DayBudgetSettings = Values<typeof DAY_BUDGET_FIELDS>;

export const buildBudgets = (settings: BudgetSettings): readonly Budget[] =>
  OWN_SCOPES.flatMap((scope) => budgetOf(settings, scope));

export const buildDayBudget = (settings: DayBudgetSettings): readonly Budget[] => budgetOf(settings, 'day');

function budgetOf<Scope extends BudgetScope>(
  settings: Values<
    Pick<typeof BUDGET_FIELDS & typeof DAY_BUDGET_FIELDS, Keyed & `budgets.${Scope}.${string}`>
  >,
  scope: Scope,
): readonly Budget[] {
  const read = settings as Values<typeof BUDGET_FIELDS & typeof DAY_BUDGET_FIELDS>;
  const costUsdMax = read[`budgets.${scope}.usd`];
  const tokensMax = read[`budgets.${scope}.tokens`];
  if (costUsdMax === 'none' && tokensMax === 'none') return [];
  return [
    {
      scope,
      ...(costUsdMax !== 'none' && { costUsdMax }),
      ...(tokensMax !== 'none' && { tokensMax }),
      warnAt: read[`budgets.${scope}.warn_at`],
      atLimit: read[`budgets.${scope}.at_limit`],
    },
  ];
}
