import type { Instant } from '../base/time.ts';
import { earliest, NEVER } from '../base/time.ts';
import type { Acquired } from '../breaker/breaker.ts';
import type { Policy } from '../policy/policy.ts';
import type { Ask, AskKind } from '../vocabulary/ask.ts';
import type { Effect, EffectBody, Life } from '../vocabulary/effect.ts';
import { stillWanted } from '../vocabulary/effect.ts';
import type { EventBody, HolterEvent } from '../vocabulary/event.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import { heldUntil } from '../vocabulary/hold.ts';
import type { DecisionRejection } from '../vocabulary/rejection.ts';
import type { PriceTable, Spending } from '../vocabulary/spending.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import type { Agent, Hard, Soft } from './agent.ts';
import { copyHard } from './copy-hard.ts';
import type { ClaimVerdict } from './input.ts';
import { hasKeptPromises, intervalOf } from './liveness.ts';
import type { Sum } from './spent.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The working copy of one agent's record while one input is folded into it. It is created at the start of a step and
 * discarded at its end. The original is never changed; nested values are replaced, not edited.
 */
export type Draft = {
  soft: Soft;
  readonly hard: Mutable<Hard>;
  readonly at: Instant;
  readonly stalls: StallLog;
  readonly policy: Policy;
  readonly prices: PriceTable;
  readonly today: DaySpending;
  /** Findings of this judgement so far; `hard.derived` still holds those of the last one. */
  found: Finding[];
  readonly events: HolterEvent[];
  effects: readonly Effect[];
  readonly asks: Ask[];
  /** What this step adds to the books. */
  spending: readonly Spending[];
  /** Incidents and incarnations that ended in this step. */
  readonly over: Life[];
  /** The earliest moment that any rule or the ladder asked to be woken at. */
  wakeAt: Instant;
  claim?: ClaimVerdict;
  rejection?: DecisionRejection;
  permit?: Acquired;
};

/** What the agent, its group and the whole fleet have spent today, this step not included. */
export type DaySpending = { readonly agent: Sum; readonly group: Sum; readonly day: Sum };

/** What the shell knows about money. */
export type Money = { readonly prices: PriceTable; readonly today: DaySpending };

const NOTHING: Sum = { tokens: 0, costMicros: 0 };
export const NO_MONEY: Money = { prices: [], today: { agent: NOTHING, group: NOTHING, day: NOTHING } };

/** With what was spent since, and is not in its sums yet. */
export function withSpending(money: Money, rows: readonly Spending[]): Money {
  if (rows.length === 0) return money;
  const { agent, group, day } = money.today;
  return {
    prices: money.prices,
    today: { agent: addRows(agent, rows), group: addRows(group, rows), day: addRows(day, rows) },
  };
}

export const addRows = ({ tokens, costMicros }: Sum, rows: readonly Spending[]): Sum => ({
  tokens: rows.reduce((sum, row) => sum + row.tokens, tokens),
  costMicros: rows.reduce((sum, row) => sum + row.costMicros, costMicros),
});

export function draftOf(
  agent: Agent,
  at: Instant,
  stalls: StallLog,
  policy: Policy,
  { prices, today }: Money = NO_MONEY,
): Draft {
  return {
    soft: agent.soft,
    hard: copyHard(agent.hard, at),
    at,
    stalls,
    policy,
    prices,
    today,
    found: [],
    events: [],
    effects: [],
    asks: [],
    spending: [],
    over: [],
    wakeAt: NEVER,
  };
}

export function emit(draft: Draft, body: EventBody): void {
  draft.events.push({ at: draft.at, incarnation: draft.hard.incarnation, ...body });
}

type EffectTerms = Pick<Effect, 'livesBy' | 'until' | 'step'>;

export function want(draft: Draft, id: string, body: EffectBody, terms: EffectTerms): void {
  const { agentId, incarnation } = draft.hard;
  // Only effects on the agent's own process or terminal belong to its executor.
  const executor = body.kind === 'notify' ? null : draft.hard.executor;
  draft.effects = [...draft.effects, { id, agentId, incarnation, executor, ...terms, ...body }];
}

/** Drops effects that are no longer wanted, including those that this step itself added. */
export function endLife(draft: Draft, life: Life): void {
  draft.over.push(life);
  draft.effects = stillWanted(draft.effects, [life]);
}

/** One ask per effect, so that the fleet's budget is charged once. */
export function ask(
  draft: Draft,
  kind: AskKind,
  effectId: string,
  more: Partial<Pick<Ask, 'notice' | 'isOrdered' | 'signAt' | 'hasKept'>> = {},
): void {
  if (draft.asks.some((other) => other.effectId === effectId)) return;
  const { agentId, group } = draft.hard;
  const intervalMs = intervalOf(draft.hard, draft.policy);
  const hasKept = hasKeptPromises(draft, draft.policy);
  draft.asks.push({ kind, agentId, group, effectId, intervalMs, hasKept, ...more });
}

/** Tells the fleet that this agent is lost. A crash that Holter itself saw counts even if no promise was kept yet. */
export function askLoss(draft: Draft, loss: { readonly signAt: Instant; readonly hasKept?: true }): void {
  const { hard, at, policy } = draft;
  if (hasKeptPromises(draft, policy)) hard.hasKept = true;
  ask(draft, 'loss', `${hard.agentId}#${hard.incarnation}/loss/${at}`, loss);
}

/** Asks to be woken at `at`, when time alone could change the verdict. Moments in the past are ignored. */
export function lookAgainAt(draft: Draft, at: Instant): void {
  if (at > draft.at) draft.wakeAt = earliest(draft.wakeAt, at);
}

/** The current moment with the readings of the hold stopwatches. */
export function markNow(draft: Draft): Mark {
  return { at: draft.at, held: heldUntil(draft.hard.heldBefore, draft.hard.holds, draft.at) };
}
