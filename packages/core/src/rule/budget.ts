import type { Budget, BudgetScope, BudgetStep } from '../policy/policy.ts';
import type { Draft } from '../record/draft.ts';
import { addRows, lookAgainAt } from '../record/draft.ts';
import type { Sum } from '../record/spent.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { MICROS_PER_USD, nextDayOf } from '../vocabulary/spending.ts';
import { asBefore, finding } from './rule.ts';

/**
 * Budgets: what the operator allows a run, a task, an agent, a group or the whole fleet to spend. Money counts as far
 * as it is known; tokens without a known price count only against a budget in tokens.
 */
export function budgetSpent(draft: Draft): Finding | null {
  if (draft.hard.end) return null;
  const tightest = tightestBudget(draft);
  if (!tightest) return null;
  const { budget, share, spent, limit } = tightest;
  if (isPerDay(budget.scope)) lookAgainAt(draft, nextDayOf(draft.at));
  const isAct = share >= 1 && budget.atLimit !== 'warn';
  return finding({
    kind: 'budget',
    severity: isAct ? 'act' : 'warn',
    source: 'agent-reports',
    since: asBefore(draft, 'budget')?.since ?? draft.at,
    evidence: `${whose(budget.scope, draft)} ${spent} of ${limit}${isPerDay(budget.scope) ? ' today' : ''}`,
    threshold: `${limit}; warned at ${Math.round(budget.warnAt * 100)} %`,
  });
}

type Reached = {
  readonly budget: Budget;
  readonly share: number;
  /** In words. */
  readonly spent: string;
  readonly limit: string;
};

const GRAVITY: readonly BudgetStep[] = ['warn', 'nudge', 'escalate', 'stop'];

/** Of the budgets that are used up the one with the gravest step, else the fullest that is worth a warning. */
export function tightestBudget(draft: Draft): Reached | null {
  let tightest: Reached | null = null;
  for (const budget of draft.policy.budgets)
    for (const reached of reachedOf(budget, draft))
      if (!tightest || rank(reached) > rank(tightest)) tightest = reached;
  return tightest;
}

const rank = ({ budget, share }: Reached): number =>
  share < 1 ? share : 1 + GRAVITY.indexOf(budget.atLimit) + Math.min(share, 1e6) / 1e7;

function reachedOf(budget: Budget, draft: Draft): readonly Reached[] {
  const sum = spentIn(budget.scope, draft);
  if (!sum) return [];
  const { costUsdMax, tokensMax, warnAt } = budget;
  const usd = sum.costMicros / MICROS_PER_USD;
  return [
    ...(costUsdMax === undefined
      ? []
      : [{ budget, share: usd / costUsdMax, spent: inUsd(usd), limit: inUsd(costUsdMax) }]),
    ...(tokensMax === undefined
      ? []
      : [
          {
            budget,
            share: sum.tokens / tokensMax,
            spent: inTokens(sum.tokens),
            limit: `${inTokens(tokensMax)} tokens`,
          },
        ]),
  ].filter(({ share }) => share >= Math.min(warnAt, 1));
}

/**
 * Null where nothing is spent. A budget that many share is held against an agent only when it spends itself: one
 * that waits is not stopped because of the others.
 */
function spentIn(scope: BudgetScope, draft: Draft): Sum | null {
  const { soft, hard, today, spending } = draft;
  switch (scope) {
    case 'run':
      return { tokens: soft.tokens, costMicros: soft.costUsd * MICROS_PER_USD };
    case 'task':
      return hard.task && hard.spent?.task?.id === hard.task.id ? hard.spent.task : null;
    case 'agent':
      return addRows(today.agent, spending);
    case 'group':
    case 'day':
      return spending.length > 0 || asBefore(draft, 'budget') ? addRows(today[scope], spending) : null;
  }
}

const isPerDay = (scope: BudgetScope): boolean => scope !== 'run' && scope !== 'task';

function whose(scope: BudgetScope, { hard }: Draft): string {
  switch (scope) {
    case 'run':
      return 'this run has spent';
    case 'task':
      return `its task ${hard.task?.id.slice(0, TASK_LENGTH_MAX)} has taken`;
    case 'agent':
      return 'it has spent';
    case 'group':
      return `its group ${hard.group} has spent`;
    case 'day':
      return 'all agents together have spent';
  }
}

const TASK_LENGTH_MAX = 60;

const inUsd = (usd: number): string => `$${usd.toFixed(2)}`;

/** "1.2 M": exact figures are in the books. */
const inTokens = (tokens: number): string =>
  tokens >= 1e6
    ? `${(tokens / 1e6).toFixed(1)} M`
    : tokens >= 1e4
      ? `${Math.round(tokens / 1e3)} k`
      : String(tokens);
