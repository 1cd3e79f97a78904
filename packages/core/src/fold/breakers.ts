import { assertNever } from '../base/invariant.ts';
import type { DurationMs, Instant } from '../base/time.ts';
import { later } from '../base/time.ts';
import { type Acquired, acquire, type Breaker, closedBreaker, settle } from '../breaker/breaker.ts';
import { breakerFor } from '../breaker/breaker-policy.ts';
import { isolate, type Report, report, reset } from '../breaker/breaker-report.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { emit } from '../record/draft.ts';
import type { BreakerAct, InputBody } from '../record/input.ts';
import { RECOVERY_BREAKER } from '../rule/breaker-open.ts';
import type { SignalRejectionCode } from '../vocabulary/rejection.ts';
import { whyOtherIncarnation } from './admissible.ts';

type BreakerCall = Extract<InputBody, { kind: 'breaker' }>;

/** Why a caller must not reach the breaker; null if it may. */
export function whyNoBreaker(
  hard: Hard,
  { name, act, incarnation }: BreakerCall,
): SignalRejectionCode | null {
  const isDecision = act.kind === 'isolate' || act.kind === 'reset';
  if (name === RECOVERY_BREAKER && !isDecision) return 'own-breaker';
  return incarnation === undefined ? null : whyOtherIncarnation(hard, incarnation);
}

/** The three of seed 000 §4 that agents use, and room for a few of their own. Holter's own always has its place. */
const BREAKERS_MAX = 8;

export function foldBreaker(draft: Draft, name: string, act: BreakerAct, roll: number): void {
  const { hard, at } = draft;
  const { agentId } = hard;
  const before = breakerOf(draft, name);
  switch (act.kind) {
    case 'acquire':
      draft.permit = acquireBreaker(draft, name);
      return;
    case 'report':
      return reportBreaker(draft, name, act.report, roll);
    case 'isolate':
    case 'reset': {
      const { by, reason } = act;
      const after =
        act.kind === 'reset' ? reset(before) : isolate(before, { by, reason, until: later(at, act.forMs) });
      put(draft, name, before, after);
      const decision = `${act.kind} breaker ${name}`;
      return emit(draft, {
        type: 'DECISION_MADE',
        payload: { agentId, incidentId: null, decision, by, reason },
      });
    }
    default:
      return assertNever(act);
  }
}

/** The answer of a closed breaker if it needs no write; null if it does. */
export function permitOfClosed(
  hard: Hard,
  name: string,
  act: BreakerAct,
  policy: Policy,
): Acquired | { readonly kind: 'noted' } | null {
  const breaker = hard.breakers && Object.hasOwn(hard.breakers, name) ? hard.breakers[name] : closedBreaker;
  if (breaker?.state !== 'CLOSED' || breaker.isolation) return null;
  if (act.kind === 'acquire') return { kind: 'permit', generation: breaker.generation, permitId: 0 };
  // Where a share counts, every outcome is recorded; failures in a row start with a failure.
  const isNews =
    act.kind !== 'report' ||
    act.report.outcome === 'failure' ||
    breaker.failures > 0 ||
    breakerFor(policy, name).mode !== 'consecutive';
  return isNews ? null : { kind: 'noted' };
}

/** `permitMs` is for callers that know how long their call may take. */
export function acquireBreaker(draft: Draft, name: string, permitMs?: DurationMs): Acquired {
  const before = breakerOf(draft, name);
  const policy = breakerFor(draft.policy, name);
  const { breaker, answer } = acquire(before, draft.at, { ...policy, permitMs: permitMs ?? policy.permitMs });
  put(draft, name, before, breaker);
  return answer;
}

/** When a call that is refused now may be tried again; null if it is permitted. */
export function refusedUntil(draft: Draft, name: string): Instant | null {
  const { answer } = acquire(breakerOf(draft, name), draft.at, breakerFor(draft.policy, name));
  return answer.kind === 'refused' ? answer.retryAt : null;
}

export function reportBreaker(draft: Draft, name: string, said: Report, roll: number): void {
  const before = breakerOf(draft, name);
  put(draft, name, before, report(before, said, draft.at, roll, breakerFor(draft.policy, name)));
}

/** Records that an open break has ended and the breaker is half open. */
export function settleBreakers(draft: Draft): void {
  for (const [name, breaker] of Object.entries(draft.hard.breakers ?? {})) {
    put(draft, name, breaker, settle(breaker, draft.at));
  }
}

const breakerOf = ({ hard }: Draft, name: string): Breaker =>
  hard.breakers && Object.hasOwn(hard.breakers, name)
    ? (hard.breakers[name] ?? closedBreaker)
    : closedBreaker;

function put(draft: Draft, name: string, before: Breaker, after: Breaker): void {
  if (after === before) return;
  const { hard } = draft;
  const { [name]: _before, ...others } = hard.breakers ?? {};
  const isOwn = (each: string): boolean => each !== RECOVERY_BREAKER;
  if (isOwn(name) && Object.keys(others).filter(isOwn).length >= BREAKERS_MAX) return;
  hard.breakers = { ...others, [name]: after };
  if (after.state === before.state) return;
  emit(draft, {
    type: 'CIRCUIT_BREAKER_STATE_CHANGED',
    payload: { agentId: hard.agentId, name, from: before.state, to: after.state },
  });
}
