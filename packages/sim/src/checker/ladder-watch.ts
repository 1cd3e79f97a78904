import type { EventOf, LadderStep } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract } from './contract.ts';
import type { Ledger } from './ledger.ts';
import type { Reporter } from './violation.ts';

const RANK: Readonly<Record<LadderStep, number>> = {
  nudge: 0,
  escalate: 1,
  terminate: 2,
  recover: 3,
  human: 4,
};

/** Invariant 3: forward only, each step decided once, and a trouble that pauses does not start from the bottom. */
export class LadderWatch {
  private readonly reporter: Reporter;
  /** Every effect ever wanted; each name stands for one decision. */
  private readonly decided = new Set<string>();

  constructor(reporter: Reporter) {
    this.reporter = reporter;
  }

  wanted(agent: SimAgent, effectId: string, at: number): void {
    if (this.decided.has(effectId)) this.reporter.report(3, agent, at, `${effectId} was decided twice`);
    this.decided.add(effectId);
  }

  opened(agent: SimAgent, ledger: Ledger, event: EventOf<'INCIDENT_OPENED'>): void {
    const { incidentId, cause, step } = event.payload;
    if (ledger.incident !== null)
      this.reporter.report(3, agent, event.at, `${incidentId} opened beside ${ledger.incident.id}`);
    const past = ledger.past;
    // A person who nudges twice means two nudges.
    const isSame =
      past !== null &&
      cause !== 'operator' &&
      past.cause === cause &&
      past.incarnation === ledger.incarnation;
    if (isSame && RANK[past.step] <= RANK.escalate && event.at - past.closedAt <= contract.reopenWithinMs) {
      const minutesAgo = Math.round((event.at - past.closedAt) / 60_000);
      this.reporter.report(
        3,
        agent,
        event.at,
        `${cause} starts at the bottom again ${minutesAgo} min after it was at ${past.step}`,
      );
    }
    ledger.incident = { id: incidentId, cause, step, attempt: 1 };
    ledger.isOrdered = (cause === 'operator' && step !== 'nudge') || isNamedInAdvance(agent, ledger, step);
    ledger.repeatsAtNudge = Number.NaN;
  }

  reopened(agent: SimAgent, ledger: Ledger, event: EventOf<'INCIDENT_REOPENED'>): void {
    const { incidentId, cause, step, attempt } = event.payload;
    if (ledger.incident !== null)
      this.reporter.report(3, agent, event.at, `${incidentId} reopened beside ${ledger.incident.id}`);
    if (RANK[step] > RANK.escalate)
      this.reporter.report(3, agent, event.at, `${incidentId} reopened at ${step}`);
    ledger.incident = { id: incidentId, cause, step, attempt };
    ledger.isOrdered = false;
    ledger.repeatsAtNudge = Number.NaN;
  }

  stepped(agent: SimAgent, ledger: Ledger, event: EventOf<'INCIDENT_STEP'>): void {
    const { incidentId, step, attempt } = event.payload;
    const before = ledger.incident;
    if (before === null || before.id !== incidentId) {
      this.reporter.report(3, agent, event.at, `${incidentId} takes a step but is not open`);
      return;
    }
    const isForward = RANK[step] > RANK[before.step] || (step === before.step && attempt > before.attempt);
    if (!isForward) {
      this.reporter.report(
        3,
        agent,
        event.at,
        `from ${before.step} ${before.attempt} back to ${step} ${attempt}`,
      );
    }
    if (isNamedInAdvance(agent, ledger, step)) ledger.isOrdered = true;
    before.step = step;
    before.attempt = attempt;
  }

  closed(ledger: Ledger, at: number): void {
    if (ledger.incident === null) return;
    const { cause, step } = ledger.incident;
    ledger.past = { cause, step, closedAt: at, incarnation: ledger.incarnation };
    ledger.incident = null;
    ledger.isOrdered = false;
  }
}

/** The operator has said what happens to whoever spends too much (`policies.ts`). */
const isNamedInAdvance = (agent: SimAgent, ledger: Ledger, step: LadderStep): boolean =>
  step === 'terminate' && ledger.acts.has('limit-exceeded') && agent.profile.role === 'metered';
