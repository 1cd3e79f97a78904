import { hashText } from '../base/hash.ts';
import { assertNever } from '../base/invariant.ts';
import type { Instant } from '../base/time.ts';
import { latest } from '../base/time.ts';
import { isRepeatedSignal, wasFoldedBefore, whyInadmissible } from '../fold/admissible.ts';
import { keepBooks } from '../fold/books.ts';
import { foldBreaker, permitOfClosed, settleBreakers, whyNoBreaker } from '../fold/breakers.ts';
import { isNews, NO_INDICATOR } from '../fold/heartbeat.ts';
import { endExpiredHolds } from '../fold/holds.ts';
import { endAnnounced, hearFrom } from '../fold/life.ts';
import { foldSignal } from '../fold/signal.ts';
import { restTrail } from '../fold/trail.ts';
import { advance } from '../incident/advance.ts';
import { foldClaim, foldGrant, foldNotice, foldReceipt, withdrawClaim } from '../incident/answer.ts';
import { foldDecision } from '../incident/decide.ts';
import { endExpiredQuiet } from '../incident/quiet.ts';
import { endTickets, foldTicket } from '../incident/ticket.ts';
import { judge } from '../judge/judge.ts';
import type { Policy } from '../policy/policy.ts';
import type { Agent, Hard, Probation } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft, Money } from '../record/draft.ts';
import { draftOf, emit, endLife, markNow, NO_MONEY } from '../record/draft.ts';
import type { Applied, Input } from '../record/input.ts';
import { hasWork } from '../record/work.ts';
import { isInSilence } from '../rule/silence.ts';
import { lifeOfStart } from '../vocabulary/effect.ts';
import type { SignalRejectionCode } from '../vocabulary/rejection.ts';
import { signalRejection } from '../vocabulary/rejection.ts';
import type { HeartbeatBody, Signal } from '../vocabulary/signal.ts';
import type { StallLog } from '../vocabulary/stall.ts';

/**
 * Folds one input into one agent's record: facts, then judgement, then the incident. Pure: the same agent, input and
 * policy give the same step, byte for byte. A beat that changes nothing takes a short path.
 */
export function applyInput(agent: Agent, input: Input, policy: Policy, money: Money = NO_MONEY): Applied {
  // The clock may step back; the agent's time must not.
  const at = latest(input.at, latest(agent.hard.at, agent.soft.beatAt));
  if (input.kind === 'signal') {
    const code = whyInadmissible(agent.hard, input.signal, input.origin);
    if (code !== null) {
      // A retried request about a known fact is old, not bad.
      const isOld =
        input.signal.incarnation === agent.hard.incarnation && wasFoldedBefore(agent.hard, input.signal);
      return isOld ? unchanged(agent) : rejected(agent, at, input.signal, code);
    }
    if (input.signal.kind === 'heartbeat' && isPlainBeat(agent, at, input.signal, input.stalls, policy))
      return applyPlainBeat(agent, at, input.signal);
  }
  if (input.kind === 'breaker') {
    const code = whyNoBreaker(agent.hard, input);
    if (code !== null) return { ...unchanged(agent), rejection: signalRejection(code) };
    const permit = permitOfClosed(agent.hard, input.name, input.act, policy);
    // While nothing is wrong, asking a breaker changes nothing and needs no commit.
    if (permit !== null)
      return {
        ...unchanged(isOwnCall(agent.hard, input) ? heard(agent, at) : agent),
        ...(permit.kind === 'permit' && { permit }),
      };
  }
  return foldFully(agent, at, input, policy, money);
}

/** An agent that asks its breakers or reports to them is heard, though it may send nothing else. */
const isOwnCall = ({ end }: Hard, { act, incarnation }: Extract<Input, { kind: 'breaker' }>): boolean =>
  !end && incarnation !== undefined && (act.kind === 'acquire' || act.kind === 'report');

const heard = ({ soft, hard }: Agent, at: Instant): Agent => ({ soft: { ...soft, activityAt: at }, hard });

/** The full path: facts, judgement, incident. For a plain beat it gives the same result as the short path. */
export function foldFully(
  agent: Agent,
  at: Instant,
  input: Input,
  policy: Policy,
  money: Money = NO_MONEY,
): Applied {
  const draft = draftOf(agent, at, input.stalls, policy, money);
  if (input.kind === 'signal' && isRepeatedSignal(draft, input.signal)) return unchanged(agent);
  if (!policy.isEnabled) return handsOff(agent, at, input);

  endExpiredHolds(draft);
  endExpiredQuiet(draft);
  settleBreakers(draft);
  fold(draft, input);
  // Again, because a hold or a snooze that has just begun may already be over, or has to set its wake-up.
  endExpiredHolds(draft);
  endExpiredQuiet(draft);
  endAnnounced(draft);
  if (draft.hard.end && draft.hard.tickets) endTickets(draft, draft.hard, 'the agent has ended');
  followWork(draft);
  keepBooks(draft, agent.hard, input.kind === 'signal' && input.signal.kind === 'tokens');
  judge(draft);
  if (input.kind === 'claim') {
    // The claim is answered by the judgement above; the executor's evidence may change that judgement.
    foldClaim(draft, input.effect, input.evidence);
    judge(draft);
  }
  advance(draft);
  if (input.kind === 'claim') withdrawClaim(draft, input.effect);
  return finish(draft, agent.hard);
}

function fold(draft: Draft, input: Input): void {
  switch (input.kind) {
    case 'signal':
      if (input.signal.kind === 'heartbeat') tellBeat(draft, input.signal);
      return foldSignal(draft, input.signal, input.origin);
    case 'receipt':
      return foldReceipt(draft, input);
    case 'notice':
      return foldNotice(draft, input.effectId, input.notice);
    case 'decision':
      return foldDecision(draft, input.decision);
    case 'ticket':
      return foldTicket(draft, input.act);
    case 'grant':
      return foldGrant(draft, input.ask, input.admission);
    case 'breaker':
      if (isOwnCall(draft.hard, input)) hearFrom(draft, 'activityAt');
      return foldBreaker(draft, input.name, input.act, input.roll);
    case 'tick':
    case 'claim':
      return;
    default:
      return assertNever(input);
  }
}

/** Starts the work clock when there is work and clears it when there is none; ends a probation that is over. */
function followWork(draft: Draft): void {
  const { hard } = draft;
  if (hasWork(hard)) hard.work ??= markNow(draft);
  else if (hard.work) {
    forget(hard, 'work');
    // After the end, the findings are kept: they are the reason that is reported.
    if (!hard.end) restTrail(draft);
  }
  if (hard.probation && isProbationOver(draft, hard.probation)) forget(hard, 'probation');
}

/** Silence does not pass it: the successor either acts again, or the rule `silence` finds it. */
function isProbationOver(draft: Draft, { until, incidentId }: Probation): boolean {
  const isPassing = draft.hard.incident?.id === incidentId;
  return until <= draft.at && !(isPassing && isInSilence(draft));
}

function finish(draft: Draft, before: Hard): Applied {
  const { soft, hard, events, asks, wakeAt, claim, permit, rejection } = draft;
  hard.wakeAt = wakeAt;
  if (hard.end && !before.end) endLife(draft, lifeOfStart(hard.agentId, hard.incarnation));
  return {
    agent: { soft, hard },
    events,
    effects: draft.effects,
    asks,
    over: draft.over,
    wakeAt,
    ...(draft.spending.length > 0 && { spending: draft.spending }),
    ...(claim && { claim }),
    ...(permit && { permit }),
    ...(rejection && { rejection }),
  };
}

/**
 * Whether this beat says nothing but "alive". Then only the soft facts change, and no timer moves: when the old
 * deadline fires, the rule looks at the newest beat and names the next deadline.
 */
function isPlainBeat(
  { soft, hard }: Agent,
  at: Instant,
  beat: HeartbeatBody & Signal,
  stalls: StallLog,
  policy: Policy,
): boolean {
  if (
    hard.derived.length > 0 ||
    hard.points.length > 0 ||
    hard.isBusy ||
    hard.inquiry ||
    hard.settlingSince !== undefined
  )
    return false;
  if (beat.status !== undefined && beat.status !== 'healthy') return false;
  if (beat.id !== undefined || beat.channel !== undefined) return false;
  if (hard.unknownSince !== undefined || hard.isConnectionClosed || isNews(hard, beat, at)) return false;
  if (beat.errorCount !== undefined && (beat.errorCount !== hard.errorCount || hard.failuresInRow))
    return false;
  if (
    beat.tokenCount !== undefined &&
    policy.limits.tokensMax !== undefined &&
    beat.tokenCount > policy.limits.tokensMax
  )
    return false;
  if (!policy.isEnabled || soft.beatAt === 0) return false;
  // The first beat after a stall ends the stall's grace, so its deadline is earlier than the old one.
  if ((stalls.at(-1)?.to ?? 0) > soft.beatAt) return false;
  if (beat.phase === undefined && beat.progressIndicator === undefined)
    return (hard.indicatorHash ?? NO_INDICATOR) === NO_INDICATOR;
  return hashText(`${beat.phase ?? ''}\n${beat.progressIndicator ?? ''}`) === hard.indicatorHash;
}

function applyPlainBeat(agent: Agent, at: Instant, beat: HeartbeatBody & Signal): Applied {
  const { soft, hard } = agent;
  const tokens =
    beat.tokenCount !== undefined && beat.tokenCount > soft.tokens ? beat.tokenCount : soft.tokens;
  return {
    agent: { soft: { ...soft, beatAt: at, tokens }, hard },
    events: [{ at, incarnation: hard.incarnation, type: 'AGENT_HEARTBEAT', payload: payloadOf(beat) }],
    effects: [],
    asks: [],
    over: [],
    wakeAt: hard.wakeAt,
  };
}

function tellBeat(draft: Draft, beat: HeartbeatBody & Signal): void {
  emit(draft, { type: 'AGENT_HEARTBEAT', payload: payloadOf(beat) });
}

function payloadOf(beat: HeartbeatBody & Signal): { agentId: string } & Omit<HeartbeatBody, 'kind'> {
  const { kind: _kind, incarnation: _incarnation, id: _id, channel: _channel, seq: _seq, ...payload } = beat;
  return payload;
}

/** Monitoring is switched off: nothing is judged, and pending steps are dropped. */
const handsOff = (agent: Agent, at: Instant, input: Input): Applied => ({
  ...unchanged(agent),
  // Signs of life are still recorded, so that the time without monitoring does not count as silence later.
  ...(input.kind === 'signal' &&
    input.origin !== 'holter' && { agent: { ...agent, soft: { ...agent.soft, activityAt: at } } }),
  ...(input.kind === 'claim' && { claim: 'cancelled' as const }),
});

/** Bad input changes nothing and is recorded (invariants 5 and 11). */
function rejected(agent: Agent, at: Instant, signal: Signal, code: SignalRejectionCode): Applied {
  const { agentId, incarnation } = agent.hard;
  const rejection = signalRejection(code);
  const payload = { agentId, kind: signal.kind, ...rejection };
  return {
    ...unchanged(agent),
    events: [{ at, incarnation, type: 'SIGNAL_REJECTED', payload }],
    rejection,
  };
}

const unchanged = (agent: Agent): Applied => ({
  agent,
  events: [],
  effects: [],
  asks: [],
  over: [],
  wakeAt: agent.hard.wakeAt,
});
