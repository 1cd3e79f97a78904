import type { Decision, Effect, Transition } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Report } from '../audit/violation.ts';
import type { Packet } from '../world/packet.ts';
import type { Observed } from './observed.ts';

/** What has to become of a signal, by the rules of identity. */
export type Fate = 'accept' | 'repeat' | 'stale' | 'bad';

/** Facts that only Holter's own senses may report. */
const SENSED = new Set([
  'process',
  'exited',
  'connection',
  'message-delivered',
  'message-failed',
  'finding',
  'finding-cleared',
]);

/** A task may be ended by its tracker, and letters wait for the successor. */
const AFTER_END = new Set(['task-ended', 'message-delivered', 'message-acknowledged']);

export function fateOf(observed: Observed, { signal, origin, twin }: Packet): Fate {
  if (signal.incarnation === undefined) return 'bad';
  if (signal.incarnation < observed.incarnation) return 'stale';
  if (signal.incarnation > observed.incarnation) return 'bad';
  if (origin !== 'holter' && SENSED.has(signal.kind)) return 'bad';
  if (origin !== 'holter' && signal.kind === 'hold-begun' && signal.hold === 'paused-by-operator')
    return 'bad';
  if (twin?.isHeard === true && signal.id !== undefined) return 'repeat';
  // Overtaken by its own end.
  if (signal.kind === 'call-begun' && observed.hasEnded(signal.callId)) return 'repeat';
  return observed.isEnded && !AFTER_END.has(signal.kind) ? 'bad' : 'accept';
}

/** Invariants 5 and 11: inputs that are stale, forged, repeated or too late may be recorded and change nothing else. */
export class RefusalCheck {
  private readonly report: Report;
  /** By effect: the incarnation that it is about. */
  private readonly incarnations = new Map<string, number>();

  constructor(report: Report) {
    this.report = report;
  }

  ordered({ id, incarnation }: Effect): void {
    this.incarnations.set(id, incarnation);
  }

  signal(agent: SimAgent, at: number, fate: Fate, { signal }: Packet, result: Transition): void {
    const invariant = fate === 'stale' ? 5 : 11;
    const what = `${fate} ${signal.kind}`;
    if (result.effects.length > 0)
      this.report(invariant, agent.name, at, `${what} had an effect: ${result.effects[0]?.kind}`);
    const other = result.events.find(({ type }) => type !== 'SIGNAL_REJECTED');
    if (other !== undefined) this.report(invariant, agent.name, at, `${what} led to ${other.type}`);
    else if (result.events.length === 0 && fate !== 'repeat')
      this.report(invariant, agent.name, at, `${what} was taken without a word`);
  }

  receipt(agent: SimAgent, observed: Observed, at: number, effectId: string, result: Transition): void {
    const incarnation = this.incarnations.get(effectId);
    if (incarnation === undefined || incarnation === observed.incarnation) return;
    const event = result.events.find(({ type }) => type !== 'EFFECT_RECEIPT');
    const change = event?.type ?? result.effects[0]?.kind;
    if (change !== undefined)
      this.report(
        5,
        agent.name,
        at,
        `a receipt for incarnation ${incarnation} (${effectId}) led to ${change}`,
      );
  }

  /** About an incident that is no longer open, or was never this agent's. */
  decision(agent: SimAgent, observed: Observed, at: number, given: Decision, result: Transition): void {
    const { incidentId, decision } = given;
    if (incidentId === undefined || incidentId === observed.incident?.id) return;
    const isRejected = result.events.length === 1 && result.events[0]?.type === 'DECISION_REJECTED';
    if (!isRejected || result.effects.length > 0)
      this.report(
        11,
        agent.name,
        at,
        `${decision} about ${incidentId}, which is not open, was not only rejected`,
      );
  }
}
