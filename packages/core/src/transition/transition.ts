import { invariant } from '../base/invariant.ts';
import type { Instant } from '../base/time.ts';
import type { Acquired } from '../breaker/breaker.ts';
import type { FleetGuard } from '../fleet/guard.ts';
import { admit } from '../fleet/guard.ts';
import type { FleetPolicy, Policy } from '../policy/policy.ts';
import type { Agent } from '../record/agent.ts';
import { type Money, withSpending } from '../record/draft.ts';
import type { Applied, ClaimVerdict, Input } from '../record/input.ts';
import type { Ask, AskKind } from '../vocabulary/ask.ts';
import type { Effect, Life } from '../vocabulary/effect.ts';
import { stillWanted } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { Spending } from '../vocabulary/spending.ts';
import { applyInput } from './apply-input.ts';

export type TransitionContext = {
  readonly policy: Policy;
  readonly fleetPolicy: FleetPolicy;
  /** How many agents of this agent's group have not ended. */
  readonly groupSize: number;
  /** Prices of models, and what others have spent; without it, nothing has a price. */
  readonly money?: Money;
};

/** Everything that one input leads to, ready to be committed in one transaction. */
export type Transition = {
  readonly agent: Agent;
  readonly fleet: FleetGuard;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  /** What this input ended: effects pending for it are cancelled in the same commit. */
  readonly over: readonly Life[];
  readonly wakeAt: Instant;
  /** What this input adds to the books; absent if nothing. */
  readonly spending?: readonly Spending[];
  readonly claim?: ClaimVerdict;
  readonly permit?: Acquired;
  readonly rejection?: Applied['rejection'];
  /** The asks that the fleet deferred, for metrics; absent if there were none. */
  readonly deferrals?: readonly Deferral[];
};

type Deferral = { readonly kind: AskKind; readonly because: 'brake' | 'budget' };

/** A bound: an incident asks once per step, and one input can't climb further than the ladder. */
const ROUNDS_MAX = 16;

/**
 * Runs `applyInput`, then answers its asks with `admit` and feeds the answers back, until none is left. The shell calls
 * only this, so a grant is never lost between two transactions, and one place combines both.
 */
export function transition(
  agent: Agent,
  fleet: FleetGuard,
  input: Input,
  context: TransitionContext,
): Transition {
  const { policy, fleetPolicy, groupSize, money } = context;
  const first = applyInput(agent, input, policy, money);
  if (first.asks.length === 0) {
    const { agent: next, events, effects, over, wakeAt, spending, claim, permit, rejection } = first;
    return {
      agent: next,
      fleet,
      events,
      effects,
      over,
      wakeAt,
      ...(spending && { spending }),
      ...(claim && { claim }),
      ...(permit && { permit }),
      ...(rejection && { rejection }),
    };
  }
  const events: HolterEvent[] = [...first.events];
  let effects: readonly Effect[] = first.effects;
  const over: Life[] = [...first.over];
  const deferrals: Deferral[] = [];
  const queue: Ask[] = [...first.asks];
  let latest = first;
  let latestFleet = fleet;
  const booked = money && first.spending ? withSpending(money, first.spending) : money;
  for (let round = 0; queue.length > 0; round++) {
    invariant(round < ROUNDS_MAX, `${agent.hard.agentId} keeps asking the fleet`);
    const ask = queue.shift() as Ask;
    const admitted = admit(latestFleet, ask, { at: latest.agent.hard.at, groupSize, policy: fleetPolicy });
    latestFleet = admitted.fleet;
    events.push(...admitted.events);
    effects = [...effects, ...admitted.effects];
    // A loss only informs the fleet; it needs no answer.
    if (ask.kind === 'loss') continue;
    const { admission } = admitted;
    if (admission.kind === 'deferred') deferrals.push({ kind: ask.kind, because: admission.because });
    latest = applyInput(
      latest.agent,
      { at: input.at, stalls: input.stalls, kind: 'grant', ask, admission },
      policy,
      booked,
    );
    events.push(...latest.events);
    effects = [...stillWanted(effects, latest.over), ...latest.effects];
    over.push(...latest.over);
    queue.push(...latest.asks.filter((next) => !queue.some(({ effectId }) => effectId === next.effectId)));
  }
  // A grant is folded at the same moment, so it books nothing more.
  const { spending, claim, permit, rejection } = first;
  return {
    agent: latest.agent,
    fleet: latestFleet,
    events,
    effects,
    over,
    wakeAt: latest.wakeAt,
    ...(spending && { spending }),
    ...(claim && { claim }),
    ...(permit && { permit }),
    ...(rejection && { rejection }),
    ...(deferrals.length > 0 && { deferrals }),
  };
}
