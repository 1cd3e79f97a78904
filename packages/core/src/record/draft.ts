import type { Instant } from '../base/time.ts';
import { earliest, NEVER } from '../base/time.ts';
import type { Acquired } from '../breaker/breaker.ts';
import type { Policy } from '../policy/policy.ts';
import type { Ask, AskKind, Notice } from '../vocabulary/ask.ts';
import type { Effect, EffectBody, Life } from '../vocabulary/effect.ts';
import { stillWanted } from '../vocabulary/effect.ts';
import type { EventBody, HolterEvent } from '../vocabulary/event.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import { heldUntil } from '../vocabulary/hold.ts';
import type { DecisionRejection } from '../vocabulary/rejection.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import type { Agent, Hard, Soft } from './agent.ts';
import { copyHard } from './copy-hard.ts';
import type { ClaimVerdict } from './input.ts';
import { intervalOf } from './liveness.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The record of one agent while one input is folded into it. It is made at the start of a step and thrown
 * away at its end; what it was made from is never changed, and nested values are replaced, not edited.
 */
export type Draft = {
  soft: Soft;
  readonly hard: Mutable<Hard>;
  readonly at: Instant;
  readonly stalls: StallLog;
  readonly policy: Policy;
  /** What the rules have found in this judgement so far; `hard.derived` still holds the last one's. */
  found: Finding[];
  readonly events: HolterEvent[];
  effects: readonly Effect[];
  readonly asks: Ask[];
  /** Incidents and starts that ended in this step. */
  readonly over: Life[];
  /** Earliest moment that any rule or the ladder named. */
  wakeAt: Instant;
  claim?: ClaimVerdict;
  rejection?: DecisionRejection;
  permit?: Acquired;
};

export function draftOf(agent: Agent, at: Instant, stalls: StallLog, policy: Policy): Draft {
  return {
    soft: agent.soft,
    hard: copyHard(agent.hard, at),
    at,
    stalls,
    policy,
    found: [],
    events: [],
    effects: [],
    asks: [],
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
  // Only what touches the agent's own process or terminal belongs to its executor.
  const executor = body.kind === 'notify' ? null : draft.hard.executor;
  draft.effects = [...draft.effects, { id, agentId, incarnation, executor, ...terms, ...body }];
}

/** What was wanted for it is not wanted any more, also if this very step wanted it. */
export function endLife(draft: Draft, life: Life): void {
  draft.over.push(life);
  draft.effects = stillWanted(draft.effects, [life]);
}

/** One question per effect: asked twice, it would be paid for twice. */
export function ask(draft: Draft, kind: AskKind, effectId: string, notice?: Notice): void {
  if (draft.asks.some((other) => other.effectId === effectId)) return;
  const { agentId, group } = draft.hard;
  const intervalMs = intervalOf(draft.hard, draft.policy);
  draft.asks.push({ kind, agentId, group, effectId, intervalMs, ...(notice && { notice }) });
}

/** Time alone could change the verdict at `at`: look again then. The past is no such moment. */
export function lookAgainAt(draft: Draft, at: Instant): void {
  if (at > draft.at) draft.wakeAt = earliest(draft.wakeAt, at);
}

/** This moment, with the readings of the hold stopwatches. */
export function markNow(draft: Draft): Mark {
  return { at: draft.at, held: heldUntil(draft.hard.heldBefore, draft.hard.holds, draft.at) };
}
