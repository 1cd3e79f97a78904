import type {
  Effect,
  Enrollment,
  Hard,
  HolterEvent,
  InputBody,
  Registration,
  Transition,
} from '@holter/core';
import { THIEF } from '../agents/registration.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract } from '../audit/contract.ts';
import type { Report } from '../audit/violation.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';
import { Gaps } from './gaps.ts';
import { LivenessBounds } from './liveness-bounds.ts';
import { Observed } from './observed.ts';
import { ProgressBounds } from './progress-bounds.ts';
import { type Fate, fateOf, RefusalCheck } from './refusals.ts';

type CheckerPort = {
  readonly report: Report;
  /** Asks the world to call `inspect` at a time. */
  readonly inspectAt: (agent: SimAgent, at: number) => void;
  /** The last ticks of the monitor before it was killed, by its own clock. */
  readonly deaths: () => readonly number[];
  /** A person, or an operator's limit, has ordered to stop this agent. */
  readonly isOrdered: (agent: SimAgent) => boolean;
};

/**
 * Checks what the log and the truth alone can't show: that verdicts fall between the earliest and the latest lawful
 * moment, by the signals that were delivered, and that inputs which must not count change nothing. It never looks into
 * the core's records. Everything else is the audit's.
 */
export class Checker implements Witness {
  private readonly port: CheckerPort;
  private readonly observed: Observed[] = [];
  private readonly gaps = new Gaps();
  private readonly liveness: LivenessBounds;
  private readonly progress: ProgressBounds;
  private readonly refusals: RefusalCheck;
  private readonly inspectingAt: number[] = [];
  private fate: Fate = 'accept';

  constructor(port: CheckerPort) {
    this.port = port;
    this.liveness = new LivenessBounds(port.report, this.gaps, port.deaths);
    this.progress = new ProgressBounds(port.report, this.gaps);
    this.refusals = new RefusalCheck(port.report);
  }

  private observedOf(agent: SimAgent): Observed {
    this.observed[agent.slot] ??= new Observed();
    return this.observed[agent.slot] as Observed;
  }

  /** One inspection ahead per agent: an earlier one takes the place of a later one. */
  private inspectLater(agent: SimAgent, at: number): void {
    if (at >= (this.inspectingAt[agent.slot] ?? Number.POSITIVE_INFINITY)) return;
    this.inspectingAt[agent.slot] = at;
    this.port.inspectAt(agent, at);
  }

  enrolled(agent: SimAgent, at: number, registration: Registration, result: Enrollment): void {
    const { report } = this.port;
    if (registration.instanceId === THIEF) {
      if (result.kind === 'enrolled') report(12, agent.name, at, 'a stranger took its name with a wrong key');
      return;
    }
    const observed = this.observedOf(agent);
    const isFirst = observed.incarnation === 0;
    const isOther = !isFirst && !observed.isEnded && observed.instanceId !== registration.instanceId;
    const isOrdered = registration.spawnKey !== undefined && registration.spawnKey === observed.start?.key;
    // An agent that an executor owns may not take its own name over, whatever else holds.
    const isOwnWord = registration.source === 'agent' && agent.executor !== null && !observed.isEnded;
    const may = isOther && !isOrdered ? this.liveness.mayReplace(agent, observed, at) : 'either';
    if (result.kind === 'refused') {
      // A key that is not, or no longer, the one of the ordered start opens nothing.
      if (registration.spawnKey !== undefined && !isOrdered) return;
      if (!isOwnWord && (may === 'yes' || observed.isEnded))
        report(5, agent.name, at, 'its name is free, but it was refused');
      return;
    }
    if (isOwnWord && !isFirst) report(12, agent.name, at, 'it took its own name over, and left its executor');
    if (may === 'no') report(5, agent.name, at, 'a second instance got the name of one that is heard');
    const isSuccessor = isOnProbation(observed, result.events);
    if (!isOrdered && isSuccessor)
      report(5, agent.name, at, 'taken for the successor that was ordered, without the key of that start');
    const { incarnation } = result.agent.hard;
    const isOwnReturn = registration.source === 'agent' && !isFirst;
    if (isOwnReturn && !hasItsTerms(agent, result.agent.hard))
      report(12, agent.name, at, 'it came back on other terms by its own word');
    if (incarnation !== observed.incarnation)
      observed.begin(incarnation, registration.instanceId, at, isOwnReturn);
    if (isFirst) this.inspectLater(agent, at + 1_000);
    for (const event of result.events) this.happened(agent, observed, event);
    if (isSuccessor) {
      observed.probationUntil = at + contract.probationMs;
      observed.isOnProbation = true;
    }
  }

  delivering(agent: SimAgent, at: number, packet: Packet): void {
    const observed = this.observedOf(agent);
    this.fate = fateOf(observed, packet);
    if (this.fate !== 'accept') return;
    if (packet.twin !== undefined) packet.twin.isHeard = true;
    observed.delivered(packet, at);
  }

  folded(
    agent: SimAgent,
    at: number,
    input: InputBody,
    result: Transition,
    packet: Packet | undefined,
  ): void {
    const observed = this.observedOf(agent);
    if (packet !== undefined && this.fate !== 'accept')
      return this.refusals.signal(agent, at, this.fate, packet, result);
    if (input.kind === 'receipt') {
      this.noteSeen(observed, input.effect.id, input.outcome);
      this.refusals.receipt(agent, observed, at, input.effect.id, result);
    }
    if (input.kind === 'decision') this.refusals.decision(agent, observed, at, input.decision, result);
    for (const event of result.events) this.happened(agent, observed, event);
    for (const effect of result.effects) {
      this.refusals.ordered(effect);
    }
    if (input.kind === 'claim' && result.claim === 'proceed') this.noteStart(observed, input);
    if (packet?.signal.kind === 'call-begun' && observed.holds.size > 0)
      this.port.report(12, agent.name, at, `it calls, and is still ${[...observed.holds].join(' and ')}`);
    if (packet?.signal.kind === 'call-begun') this.progress.callBegan(agent, observed, at);
    if (packet?.signal.kind === 'call-ended') this.progress.callEnded(agent, observed, at);
    if (packet?.signal.kind === 'exited' && observed.liveness !== 'gone')
      this.port.report(2, agent.name, at, 'its exit was seen, but it is not called gone');
  }

  /** The first claim of a start makes its key. */
  private noteStart(observed: Observed, { effect, evidence }: Extract<InputBody, { kind: 'claim' }>): void {
    if (effect.kind !== 'spawn' || observed.start?.effectId === effect.id) return;
    observed.start = { effectId: effect.id, key: evidence.spawnKey ?? '' };
  }

  private noteSeen(observed: Observed, effectId: string, outcome: string): void {
    const { incident, calls, repeatsAtNudge } = observed;
    // One that has gone less far is another loop: the agent left the first one after that nudge.
    const isOfThisLoop = repeatsAtNudge <= calls.count;
    if (outcome !== 'seen' || incident?.step !== 'nudge' || isOfThisLoop) return;
    if (effectId === `${incident.id}/nudge/${incident.attempt}`) observed.repeatsAtNudge = calls.count;
  }

  private happened(agent: SimAgent, observed: Observed, event: HolterEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'RECOVERY_FAILED':
        observed.start = null;
        return;
      case 'HEALTH_STATE_CHANGED':
        observed.isCalledStuck = event.payload.to === 'STUCK' || event.payload.to === 'FAILING';
        return;
      case 'LIVENESS_CHANGED':
        return this.livenessChanged(agent, observed, event.payload.to, at);
      case 'FINDING_RAISED': {
        const { kind, severity } = event.payload;
        if (severity !== 'act') observed.acts.delete(kind);
        else {
          observed.acts.add(kind);
          this.progress.raised(agent, observed, kind, at);
          if (kind === 'ack-overdue') this.liveness.calledUnresponsive(agent, observed, at);
        }
        return;
      }
      case 'FINDING_CLEARED':
        observed.acts.delete(event.payload.kind);
        return;
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED': {
        const { incidentId: id, step } = event.payload;
        const attempt = event.type === 'INCIDENT_REOPENED' ? event.payload.attempt : 1;
        observed.incident = { id, step, attempt };
        observed.repeatsAtNudge = Number.NaN;
        return;
      }
      case 'INCIDENT_STEP':
        if (observed.incident) {
          observed.incident.step = event.payload.step;
          observed.incident.attempt = event.payload.attempt;
        }
        return;
      case 'INCIDENT_CLOSED':
        observed.probationUntil = Math.min(observed.probationUntil, at);
        observed.isOnProbation = false;
        observed.isGivenUp = false;
        observed.incident = null;
        return;
      case 'DECISION_MADE':
        if (event.payload.decision === 'replace') observed.isGivenUp = true;
        return;
      case 'HOLD_BEGAN':
        if (event.payload.hold !== 'paused-by-operator') observed.holds.add(event.payload.hold);
        return;
      case 'HOLD_ENDED':
        observed.holds.delete(event.payload.hold);
        return;
      default:
        return;
    }
  }

  private livenessChanged(agent: SimAgent, observed: Observed, to: Observed['liveness'], at: number): void {
    if (to === 'unknown') this.liveness.becameUnknown(agent, observed, at);
    if (to === 'gone') {
      this.liveness.becameGone(agent, observed, at);
      observed.isEnded = true;
      observed.holds.clear();
    }
    // An agent that answers an inquiry may take one deadline longer the next time.
    if (to === 'alive') observed.mayBeBusy = true;
    observed.liveness = to;
  }

  /** The earliest moment at which a loop alone justifies a termination: so many repeats after a nudge that was seen. */
  claimed(agent: SimAgent, at: number, { kind }: Effect, isProceeding: boolean): void {
    const observed = this.observedOf(agent);
    const { calls, repeatsAtNudge, acts } = observed;
    if (!isProceeding || kind !== 'terminate' || calls.count === 0 || acts.has('frozen')) return;
    if (this.port.isOrdered(agent)) return;
    const further = calls.count - repeatsAtNudge;
    if (!(further >= contract.repeatsAfterNudge))
      this.port.report(6, agent.name, at, `stopped for a loop that went on ${further} times after a nudge`);
  }

  deciding(): void {}

  stalled(from: number, to: number): void {
    this.gaps.add(from, to);
  }

  truthChanged(agent: SimAgent, at: number): void {
    this.progress.truthChanged(agent, at);
    if (agent.activity === 'hung') this.inspectLater(agent, at + contract.silenceActInProbationMs);
  }

  inspect(agent: SimAgent, at: number): void {
    // An earlier inspection has taken the place of this one.
    if (at < (this.inspectingAt[agent.slot] as number)) return;
    this.inspectingAt[agent.slot] = Number.POSITIVE_INFINITY;
    const observed = this.observedOf(agent);
    const next = Math.min(
      this.liveness.inspect(agent, observed, at),
      this.progress.inspect(agent, observed, at),
    );
    this.inspectLater(agent, Math.max(next, at + 1_000));
  }

  /**
   * When the condition behind this event began to hold, for the measure of how fast Holter notices. Time in
   * which the monitor itself was away does not count against it.
   */
  conditionAt(agent: SimAgent, event: HolterEvent): number {
    return this.gaps.lookedFrom(this.rawConditionAt(agent, event));
  }

  private rawConditionAt(agent: SimAgent, event: HolterEvent): number {
    const observed = this.observedOf(agent);
    if (event.type === 'LIVENESS_CHANGED')
      return event.payload.to === 'unknown' ? this.liveness.conditionAt(agent, observed) : agent.truthSince;
    if (event.type !== 'FINDING_RAISED') return event.at;
    const graceMs = contract.graceWithoutBeatsMs;
    switch (event.payload.kind) {
      case 'silent':
      case 'work-unstarted':
        return this.progress.conditionAt(agent, observed, event.at);
      case 'checkpoint-stale':
        return this.gaps.deadline(observed.progressAt, contract.checkpointActMs, graceMs);
      case 'frozen': {
        const waitMs = agent.isStopped ? contract.stoppedMs : contract.flatMs;
        return this.gaps.deadline(agent.truthSince, waitMs, graceMs);
      }
      default:
        return event.at;
    }
  }
}

/** What whoever started it said of it, and more at most. */
const hasItsTerms = ({ group, profile }: SimAgent, hard: Hard): boolean =>
  hard.group === group &&
  hard.mode === profile.mode &&
  hard.role === profile.role &&
  Object.keys(profile.promises).every((promise) => Object.hasOwn(hard.promises, promise));

/** A start that was waited for keeps its incident open; one that came too late, or by itself, closes it. */
const isOnProbation = ({ incident }: Observed, events: readonly HolterEvent[]): boolean =>
  incident?.step === 'recover' &&
  events.some((event) => event.type === 'AGENT_REGISTERED' && event.payload.isOrdered) &&
  !events.some(({ type }) => type === 'INCIDENT_CLOSED');
