import type { Decision, Effect, Enrolment, HolterEvent, InputBody, Registration, Turn } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';
import { BrakeWatch } from './brake-watch.ts';
import { BreakerWatch } from './breaker-watch.ts';
import { contract } from './contract.ts';
import { Gaps } from './gaps.ts';
import { LadderWatch } from './ladder-watch.ts';
import { Ledger } from './ledger.ts';
import { type Fate, fateOf, note } from './listen.ts';
import { LivenessWatch } from './liveness-watch.ts';
import { ProgressWatch } from './progress-watch.ts';
import { ReceiptWatch } from './receipt-watch.ts';
import { RecoveryWatch } from './recovery-watch.ts';
import { TerminationWatch } from './termination-watch.ts';
import { TruthWatch } from './truth-watch.ts';
import type { InvariantNumber, Reporter, Violation } from './violation.ts';

/** What a person says that stands by itself, as evidence and as a reason. */
const ORDERS: ReadonlySet<Decision['decision']> = new Set<Decision['decision']>([
  'terminate',
  'terminate_and_recover',
  'force_handoff',
  'recover',
]);

/** Kept in full; beyond this many they are only counted. */
const KEPT_MAX = 50;

/**
 * Checks the invariants after everything that happens, from outside: by the words that went in, the events
 * and effects that came out, and what is true of the agents. It never looks into the core's records.
 */
export class Checker implements Witness, Reporter {
  readonly violations: Violation[] = [];
  violationCount = 0;
  readonly termination: TerminationWatch;
  private readonly ledgers: Ledger[] = [];
  private readonly gaps = new Gaps();
  private readonly liveness: LivenessWatch;
  private readonly progress: ProgressWatch;
  private readonly ladder: LadderWatch;
  private readonly brake: BrakeWatch;
  private readonly breakers: BreakerWatch;
  private readonly receipts: ReceiptWatch;
  private readonly recovery: RecoveryWatch;
  private readonly truth: TruthWatch;
  private readonly lookingAt: number[] = [];
  private fate: Fate = 'accept';
  private inputs = 0;
  /** Asks the world to call `inspect` at a time. */
  private readonly inspectAt: (agent: SimAgent, at: number) => void;
  private readonly trueNow: () => number;

  constructor(
    inspectAt: (agent: SimAgent, at: number) => void,
    trueNow: () => number,
    deaths: () => readonly number[],
  ) {
    this.inspectAt = inspectAt;
    this.trueNow = trueNow;
    this.liveness = new LivenessWatch(this, this.gaps, deaths);
    this.progress = new ProgressWatch(this, this.gaps);
    this.ladder = new LadderWatch(this);
    this.termination = new TerminationWatch(this);
    this.brake = new BrakeWatch(this);
    this.breakers = new BreakerWatch(this);
    this.receipts = new ReceiptWatch(this);
    this.recovery = new RecoveryWatch(this);
    this.truth = new TruthWatch(this, this.gaps);
  }

  /** One look ahead per agent: an earlier one takes the place of a later one. */
  private lookAt(agent: SimAgent, at: number): void {
    if (at >= (this.lookingAt[agent.slot] ?? Number.POSITIVE_INFINITY)) return;
    this.lookingAt[agent.slot] = at;
    this.inspectAt(agent, at);
  }

  ledgerOf(agent: SimAgent): Ledger {
    this.ledgers[agent.slot] ??= new Ledger();
    return this.ledgers[agent.slot] as Ledger;
  }

  report(invariant: InvariantNumber, agent: SimAgent, at: number, what: string): void {
    this.violationCount++;
    if (this.violations.length >= KEPT_MAX) return;
    this.violations.push({
      invariant,
      agent: agent.name,
      slot: agent.slot,
      at,
      trueAt: this.trueNow(),
      what,
      inputs: this.inputs,
    });
  }

  enrolled(agent: SimAgent, at: number, registration: Registration, result: Enrolment): void {
    this.inputs++;
    const ledger = this.ledgerOf(agent);
    const isFirst = ledger.incarnation === 0;
    const isOther = !isFirst && !ledger.isEnded && ledger.instanceId !== registration.instanceId;
    const isOrdered = registration.spawnKey !== undefined && registration.spawnKey === ledger.spawnKey;
    const may = isOther && !isOrdered ? this.liveness.mayReplace(agent, ledger, at) : 'either';
    if (result.kind === 'refused') {
      if (may === 'yes' || ledger.isEnded) this.report(5, agent, at, 'its name is free, but it was refused');
      return;
    }
    if (may === 'no') this.report(5, agent, at, 'a second instance got the name of one that is heard');
    if (!isOrdered && result.events.some(({ type }) => type === 'RECOVERY_COMPLETED'))
      this.report(5, agent, at, 'taken for the successor that was ordered, without the key of that start');
    const { incarnation } = result.agent.hard;
    if (incarnation !== ledger.incarnation) {
      if (incarnation < ledger.incarnation)
        this.report(5, agent, at, `incarnation ${ledger.incarnation} became ${incarnation}`);
      if (isFirst || ledger.health === 'TERMINATED') this.brake.counts(agent, 1);
      ledger.begin(incarnation, registration.instanceId, at);
      ledger.taskId = registration.taskId ?? ledger.taskId;
    }
    if (isFirst) this.lookAt(agent, at + 1_000);
    for (const event of result.events) this.happened(agent, ledger, event);
  }

  delivering(agent: SimAgent, at: number, packet: Packet): void {
    const ledger = this.ledgerOf(agent);
    this.fate = fateOf(ledger, packet);
    if (this.fate !== 'accept') return;
    if (packet.twin !== undefined) packet.twin.isHeard = true;
    note(ledger, packet.signal, packet.origin, at);
  }

  folded(agent: SimAgent, at: number, input: InputBody, result: Turn, packet: Packet | undefined): void {
    this.inputs++;
    const ledger = this.ledgerOf(agent);
    if (packet !== undefined && this.fate !== 'accept')
      return this.mustChangeNothing(agent, at, packet, result);
    if (
      input.kind === 'receipt' &&
      input.outcome === 'seen' &&
      ledger.incident?.step === 'nudge' &&
      input.effect.id === `${ledger.incident.id}/nudge/${ledger.incident.attempt}` &&
      Number.isNaN(ledger.repeatsAtNudge)
    ) {
      ledger.repeatsAtNudge = ledger.calls.count;
    }
    if (input.kind === 'receipt') this.receipts.received(agent, ledger, at, input.effect.id, result);
    if (input.kind === 'decision') this.checkTooLate(agent, ledger, at, input.decision, result);
    this.breakers.folded(agent, at, input, result);
    for (const event of result.events) this.happened(agent, ledger, event);
    for (const effect of result.effects) this.wanted(agent, ledger, effect, at);
    this.brake.settle(agent, at);
    if (packet === undefined) return;
    const { signal } = packet;
    if (signal.kind === 'call-begun') this.progress.calls(agent, ledger, at);
    if (signal.kind === 'call-ended') this.progress.called(agent, ledger, at);
    if (signal.kind === 'exited' && ledger.liveness !== 'gone')
      this.report(2, agent, at, 'its exit was seen, but it is not called gone');
  }

  /** A decision about an incident that is not open any more, or was never this agent's, is only recorded. */
  private checkTooLate(
    agent: SimAgent,
    ledger: Ledger,
    at: number,
    { incidentId, decision }: Decision,
    result: Turn,
  ): void {
    if (incidentId === undefined || incidentId === ledger.incident?.id) return;
    const isRejected = result.events.length === 1 && result.events[0]?.type === 'DECISION_REJECTED';
    if (!isRejected || result.effects.length > 0)
      this.report(11, agent, at, `${decision} about ${incidentId}, which is not open, was not only rejected`);
  }

  private mustChangeNothing(agent: SimAgent, at: number, packet: Packet, result: Turn): void {
    const number = this.fate === 'stale' ? 5 : 11;
    const what = `${this.fate} ${packet.signal.kind}`;
    if (result.effects.length > 0)
      this.report(number, agent, at, `${what} had an effect: ${result.effects[0]?.kind}`);
    const other = result.events.find((event) => event.type !== 'SIGNAL_REJECTED');
    if (other !== undefined) this.report(number, agent, at, `${what} led to ${other.type}`);
    else if (result.events.length === 0 && this.fate !== 'repeat')
      this.report(number, agent, at, `${what} was taken without a word`);
  }

  private happened(agent: SimAgent, ledger: Ledger, event: HolterEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'HEALTH_STATE_CHANGED': {
        const { to } = event.payload;
        if (to === 'TERMINATED') this.brake.counts(agent, -1);
        ledger.health = to;
        ledger.healthAt = at;
        return;
      }
      case 'LIVENESS_CHANGED':
        return this.livenessChanged(agent, ledger, event.payload.to, event.payload.cause, at);
      case 'FINDING_RAISED':
        if (event.payload.severity !== 'act') ledger.acts.delete(event.payload.kind);
        else {
          ledger.acts.add(event.payload.kind);
          this.progress.raised(agent, ledger, event.payload.kind, at);
        }
        return;
      case 'FINDING_CLEARED':
        ledger.acts.delete(event.payload.kind);
        if (event.payload.kind === 'breaker-open') ledger.breakOverAt = at;
        return;
      case 'INCIDENT_OPENED':
        return this.ladder.opened(agent, ledger, event);
      case 'INCIDENT_REOPENED':
        return this.ladder.reopened(agent, ledger, event);
      case 'INCIDENT_STEP':
        return this.ladder.stepped(agent, ledger, event);
      case 'INCIDENT_CLOSED':
        ledger.probationUntil = Math.min(ledger.probationUntil, at);
        return this.ladder.closed(ledger, at);
      case 'RECOVERY_COMPLETED':
        ledger.probationUntil = at + contract.probationMs;
        ledger.isOrdered = false;
        return;
      case 'MASS_FAILURE':
        return this.brake.alerted(event.payload.group, at);
      default:
        return;
    }
  }

  private livenessChanged(agent: SimAgent, ledger: Ledger, to: string, cause: string, at: number): void {
    if (to === 'unknown') this.liveness.becameUnknown(agent, ledger, at);
    if (to === 'gone') {
      this.liveness.becameGone(agent, at);
      ledger.isEnded = true;
      ledger.endedAt = at;
      ledger.holds.clear();
    }
    // An agent that answers an inquiry may take one deadline longer the next time.
    if (to === 'alive') ledger.mayBeBusy = true;
    ledger.liveness = to as Ledger['liveness'];
    const isOurs = ledger.incident?.step === 'terminate';
    if (to === 'unknown' || (to === 'gone' && cause === 'process-crash' && !isOurs))
      this.brake.lost(agent, at);
  }

  private wanted(agent: SimAgent, ledger: Ledger, effect: Effect, at: number): void {
    this.receipts.wanted(effect);
    this.ladder.wanted(agent, effect.id, at);
    this.termination.wanted(agent, ledger, effect, at);
    this.brake.wanted(agent, effect, ledger.isOrdered, at);
    this.recovery.wanted(agent, ledger, effect, at);
    this.breakers.wanted(agent, effect, ledger.isOrdered, at);
  }

  claimed(agent: SimAgent, at: number, effect: Effect, isProceeding: boolean): void {
    if (isProceeding) this.termination.proceeds(agent, this.ledgerOf(agent), effect, at);
  }

  deciding(agent: SimAgent, _at: number, decision: Decision): void {
    const ledger = this.ledgerOf(agent);
    if (
      ORDERS.has(decision.decision) &&
      (decision.incidentId === undefined || decision.incidentId === ledger.incident?.id)
    )
      ledger.isOrdered = true;
  }

  stalled(from: number, to: number): void {
    this.gaps.add(from, to);
  }

  truthChanged(agent: SimAgent, at: number): void {
    this.truth.changed(agent, at);
    if (agent.activity === 'hung') this.lookAt(agent, at + contract.silenceActInProbationMs);
  }

  inspect(agent: SimAgent, at: number): void {
    // An earlier look has taken the place of this one.
    if (at < (this.lookingAt[agent.slot] as number)) return;
    this.lookingAt[agent.slot] = Number.POSITIVE_INFINITY;
    const ledger = this.ledgerOf(agent);
    ledger.endExpired(at);
    this.truth.inspect(agent, ledger, at);
    // Holter's own starts may be broken off for another reason.
    if (this.breakers.stateOf(agent, 'recovery_attempt') === 'CLOSED')
      this.brake.inspect(agent, ledger, at, this.gaps.lastEnd);
    const next = Math.min(this.liveness.inspect(agent, ledger, at), this.progress.inspect(agent, ledger, at));
    this.lookAt(agent, Math.max(next, at + 1_000));
  }

  /**
   * When the condition behind this event began to hold, for the measure of how fast Holter notices. Time in
   * which the monitor itself was away does not count against it.
   */
  conditionAt(agent: SimAgent, event: HolterEvent): number {
    return this.gaps.lookedFrom(this.rawConditionAt(agent, event));
  }

  private rawConditionAt(agent: SimAgent, event: HolterEvent): number {
    const ledger = this.ledgerOf(agent);
    if (event.type === 'LIVENESS_CHANGED') {
      return event.payload.to === 'unknown' ? this.liveness.conditionAt(agent, ledger) : agent.truthSince;
    }
    if (event.type !== 'FINDING_RAISED') return event.at;
    const graceMs = contract.graceWithoutBeatsMs;
    switch (event.payload.kind) {
      case 'silent':
      case 'work-unstarted':
        return this.progress.conditionAt(agent, ledger, event.at);
      case 'checkpoint-stale':
        return this.gaps.deadline(ledger.progressAt, contract.checkpointActMs, graceMs);
      case 'frozen':
        if (ledger.stoppedSince > 0)
          return this.gaps.deadline(ledger.stoppedSince, contract.stoppedMs, graceMs);
        return this.gaps.deadline(Math.max(ledger.flatSince, agent.truthSince), contract.flatMs, graceMs);
      default:
        return event.at;
    }
  }
}
