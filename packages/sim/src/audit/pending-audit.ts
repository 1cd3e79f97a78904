import type { Effect, LadderStep, Life } from '@holter/core';
import type { LogEntry, Report } from './violation.ts';

/** A nudge or an order, a notice to each audience, and what an earlier step still waits for. */
const PER_INCIDENT_MAX = 6;
/** An inquiry, reminders and notices that are about no incident. */
const PER_AGENT_MAX = 6;

/** An effect in the store that is to be carried out, and how often it was claimed so far. */
type Pending = { readonly effect: Effect; readonly tries: number };

/** Invariant 13: what waits to be carried out is bounded by what is open, and ends with it; the log says so. */
export class PendingAudit {
  private readonly report: Report;
  /** By agent: its open incident, and its start if that has not ended; as effects name them. */
  private readonly incidents = new Map<string, Life>();
  private readonly starts = new Map<string, Life>();
  /** The newest nudge of its incident; an unread one gives way to the next. */
  private readonly nudges = new Map<string, Life>();

  /** What rightly waited at the last look, and how often it had been claimed. */
  private rightful = new Map<string, number>();

  private readonly cancelled = new Set<string>();

  constructor(report: Report) {
    this.report = report;
  }

  read({ event, agentId }: LogEntry): void {
    switch (event.type) {
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED':
        this.incidents.set(agentId, `incident:${event.payload.incidentId}`);
        this.stepped(agentId, { attempt: 1, ...event.payload });
        return;
      case 'INCIDENT_STEP':
        this.stepped(agentId, event.payload);
        return;
      case 'INCIDENT_CLOSED':
        this.incidents.delete(agentId);
        this.nudges.delete(agentId);
        return;
      case 'AGENT_REGISTERED':
        this.starts.set(agentId, `start:${agentId}#${event.incarnation}`);
        return;
      case 'EFFECT_CANCELLED':
        this.cancelled.add(event.payload.effectId);
        return;
      case 'LIVENESS_CHANGED':
        if (event.payload.to === 'gone') this.starts.delete(agentId);
        return;
      default:
        return;
    }
  }

  private stepped(
    agentId: string,
    { incidentId, step, attempt }: { incidentId: string; step: LadderStep; attempt: number },
  ): void {
    if (step === 'nudge') this.nudges.set(agentId, `nudge:${incidentId}/${attempt}`);
    else this.nudges.delete(agentId);
  }

  /** These effects were cancelled in the store; the log has been read up to a later moment. */
  ended(effects: readonly Effect[], at: number): void {
    for (const { id, agentId, kind } of effects) {
      if (kind === 'notify' || this.cancelled.has(id)) continue;
      this.report(13, agentId, at, `${id} was cancelled, and the log does not say so`);
      this.cancelled.add(id);
    }
  }

  /** `pending` is everything in the store that waits; the log has been read up to the same moment. */
  look(pending: readonly Pending[], at: number): void {
    const counts = new Map<string, number>();
    const before = this.rightful;
    this.rightful = new Map();
    for (const { effect, tries } of pending) {
      const { id, agentId, livesBy } = effect;
      counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
      const isOpen =
        livesBy === this.incidents.get(agentId) ||
        livesBy === this.nudges.get(agentId) ||
        livesBy === this.starts.get(agentId) ||
        livesBy.startsWith('fleet:');
      if (isOpen) this.rightful.set(id, tries);
      // One that was being claimed when its life ended waits once more; one that only waited is cancelled with it.
      else if (before.get(id) === tries)
        this.report(13, agentId, at, `${id} still waits, though ${livesBy} is over`);
    }
    for (const [agentId, count] of counts) {
      const max = PER_AGENT_MAX + (this.incidents.has(agentId) ? PER_INCIDENT_MAX : 0);
      if (count > max) this.report(13, agentId, at, `${count} effects wait; ${max} are explained`);
    }
  }
}
