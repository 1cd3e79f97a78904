import type {
  Decision,
  Effect,
  Enrollment,
  HolterEvent,
  InputBody,
  Registration,
  Transition,
} from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';
import { Counter } from './counts.ts';

/**
 * Counts what a run exercised: signals, findings, transitions, ladder steps, decisions, effects, breakers.
 * It judges nothing, so unlike the checker it may look into the records.
 */
export class Coverage implements Witness {
  readonly counter = new Counter();
  /** A receipt names only the effect's id. */
  private readonly kinds = new Map<string, Effect['kind']>();

  folded(
    _agent: SimAgent,
    _at: number,
    input: InputBody,
    result: Transition,
    packet: Packet | undefined,
  ): void {
    if (packet !== undefined) this.signal(packet, result);
    else if (input.kind === 'receipt') this.receipt(input.effect.id, input.outcome);
    else if (input.kind === 'breaker') this.breaker(input, result);
    for (const event of result.events) this.happened(event);
    for (const { id, kind } of result.effects) this.kinds.set(id, kind);
    for (const { kind, because } of result.deferrals ?? [])
      this.counter.add('held back', `${kind} by the ${because}`);
  }

  private signal({ signal }: Packet, result: Transition): void {
    const isRejected = result.events.some(({ type }) => type === 'SIGNAL_REJECTED');
    if (!isRejected) this.counter.add('signal', signal.kind);
    // An open tool is a hold without an event of its own: there would be one for every call.
    if (signal.kind === 'call-begun' && result.agent.hard.holds.some(({ kind }) => kind === 'in-tool'))
      this.counter.add('hold', 'in-tool');
  }

  private receipt(effectId: string, outcome: string): void {
    const kind = this.kinds.get(effectId);
    if (kind !== undefined) this.counter.add('effect', `${kind} ${outcome}`);
  }

  private breaker({ name, act }: Extract<InputBody, { kind: 'breaker' }>, result: Transition): void {
    const { permit } = result;
    if (permit?.kind === 'permit')
      this.counter.add('permit', permit.permitId === 0 ? 'given, closed' : 'given, half open');
    if (permit?.kind === 'refused') this.counter.add('permit', `refused, ${permit.because}`);
    if (act.kind !== 'report') return;
    this.counter.add('permit', `${act.report.outcome} reported`);
    const generation = result.agent.hard.breakers?.[name]?.generation ?? 0;
    // A trip or a closing is the report's own doing, and the newest generation is then its child.
    const isOwnDoing = result.events.some(
      (event) => event.type === 'CIRCUIT_BREAKER_STATE_CHANGED' && event.payload.from !== 'OPEN',
    );
    if (act.report.generation < generation - (isOwnDoing ? 1 : 0))
      this.counter.add('permit', 'reported too late');
  }

  private happened(event: HolterEvent): void {
    const { counter } = this;
    counter.add('event', event.type);
    switch (event.type) {
      case 'HEALTH_STATE_CHANGED':
        return counter.add('health', `${event.payload.from} → ${event.payload.to}`);
      case 'LIVENESS_CHANGED': {
        const { from, to, cause } = event.payload;
        return counter.add('liveness', `${from} → ${to} (${cause})`);
      }
      case 'FINDING_RAISED':
        return counter.add('finding', `${event.payload.kind} ${event.payload.severity}`);
      case 'INCIDENT_OPENED':
        counter.add('step', event.payload.step);
        return counter.add('entry', `${event.payload.cause} at ${event.payload.step}`);
      case 'INCIDENT_REOPENED':
        return counter.add('reopened', event.payload.step);
      case 'INCIDENT_STEP':
        return counter.add('step', event.payload.step);
      case 'DECISION_MADE':
        return counter.add('decision', `${event.payload.decision.replace(/(breaker) .*/, '$1')} made`);
      case 'DECISION_REJECTED':
        return counter.add('decision', `${event.payload.decision} rejected`);
      case 'HOLD_BEGAN':
        return counter.add('hold', event.payload.hold);
      case 'SIGNAL_REJECTED':
        return counter.add('rejected', event.payload.because);
      case 'CIRCUIT_BREAKER_STATE_CHANGED': {
        const { name, from, to } = event.payload;
        return counter.add('breaker', `${name} ${from} → ${to}`);
      }
      case 'MASS_FAILURE':
        return counter.add('held back', 'mass failure');
      case 'MASS_FAILURE_OVER':
        return counter.add('held back', 'mass failure over');
      default:
        return;
    }
  }

  enrolled(_agent: SimAgent, _at: number, _registration: Registration, result: Enrollment): void {
    if (result.kind === 'enrolled') for (const event of result.events) this.happened(event);
  }

  claimed(_agent: SimAgent, _at: number, { kind }: Effect, isProceeding: boolean): void {
    this.counter.add('effect', `${kind} ${isProceeding ? 'proceeds' : 'cancelled'}`);
  }

  stalled(_from: number, _to: number): void {
    this.counter.add('held back', 'stall');
  }

  delivering(_agent: SimAgent, _at: number, _packet: Packet): void {}
  deciding(_agent: SimAgent, _at: number, _decision: Decision): void {}
  truthChanged(_agent: SimAgent, _at: number): void {}
  inspect(_agent: SimAgent, _at: number): void {}
}
