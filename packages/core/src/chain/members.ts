import type { Instant } from '../base/time.ts';
import {
  type BudgetLimits,
  fullBudget,
  noteCrash,
  noteStart,
  noteUp,
  type StartBudget,
  startAllowedAt,
} from './budget.ts';

/** An agent of a group whose session the daemon keeps running: a witness, a refinery, or any other. */
export type Member = { readonly name: string; readonly state: 'alive' | 'dead' | 'unknown' };

/** What is remembered of a member: whether the last look that succeeded found it alive, and its budget of starts. */
export type MemberMemory = { readonly isAlive: boolean; readonly budget: StartBudget };

type MemberTick = {
  readonly members: Readonly<Record<string, MemberMemory>>;
  readonly starts: readonly string[];
  readonly says: readonly { readonly name: string; readonly what: 'latched' | 'cleared' }[];
};

/**
 * Which members are to be started: those without a session, as often as their budgets allow. A look that failed starts
 * nothing. None is ever killed here: that is up to the server, which has the evidence.
 */
export function tickMembers(
  before: Readonly<Record<string, MemberMemory>>,
  seen: readonly Member[],
  { at, limits, isHeld }: { readonly at: Instant; readonly limits: BudgetLimits; readonly isHeld: boolean },
): MemberTick {
  const members: Record<string, MemberMemory> = {};
  const starts: string[] = [];
  const says: { name: string; what: 'latched' | 'cleared' }[] = [];
  for (const { name, state } of seen) {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    const { isAlive, budget: old } = known ?? { isAlive: false, budget: fullBudget };
    let budget = old;
    if (state === 'alive') budget = noteUp(budget, at, limits);
    else if (state === 'dead' && isCrash(isAlive, budget)) budget = noteCrash(budget, at, limits);
    if (budget.latchedAt !== old.latchedAt)
      says.push({ name, what: budget.latchedAt === undefined ? 'cleared' : 'latched' });
    if (state === 'dead' && !isHeld && startAllowedAt(budget, at, limits) <= at) {
      starts.push(name);
      budget = noteStart(budget, at);
    }
    members[name] = { isAlive: state === 'unknown' ? isAlive : state === 'alive', budget };
  }
  return { members, starts, says };
}

/** It was alive, or a start since its last crash has not lasted until this look. */
const isCrash = (wasAlive: boolean, { startedAt, crashedAt }: StartBudget): boolean =>
  wasAlive || (startedAt !== undefined && startedAt >= (crashedAt.at(-1) ?? 0));
