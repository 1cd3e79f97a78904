import type { Failure, HolterEvent, Instant } from '@holter/core';
import { ecosTime } from './ecos-content.ts';

/** Newest incidents that the log holds. */
const INCIDENTS_MAX = 500;
const NOTES_MAX = 20;

/** The fields that ECOS gives an incident. */
type Line = {
  readonly incident_id: string;
  readonly timestamp: string;
  readonly agent: string;
  failure_type: Failure['kind'];
  failure_cause: string;
  /** The finding that opened it. */
  readonly detection_method: string;
  symptoms: readonly string[];
  classification_reasoning: string;
  recovery_action: string;
  recovery_result: 'pending' | 'pending_approval' | 'success' | 'failed' | 'closed';
  time_to_recovery: number | null;
  escalated_to: string | null;
  notes: readonly string[];
};

/** As ECOS classifies what it does not know: an agent that is stuck, or a failure that was over before this start. */
const UNCLASSIFIED = { failure_type: 'recoverable', classification_reasoning: 'not classified' } as const;

type Entry = { readonly openedAt: Instant; readonly line: Line };

/** What became of the newest incidents, one line for each: folded from the events that tell of them. */
export class IncidentLog {
  private readonly entries = new Map<string, Entry>();
  private readonly openOf = new Map<string, string>();
  /** What was found since the last incident, or before the first. */
  private readonly found = new Map<string, { readonly kind: string; readonly evidence: string }>();

  /** Whether the log reads differently now. */
  note(event: HolterEvent): boolean {
    switch (event.type) {
      case 'FINDING_RAISED': {
        const { agentId, kind, evidence, severity } = event.payload;
        this.found.set(agentId, { kind, evidence });
        const line = this.openLine(agentId);
        if (!line || severity !== 'act' || line.symptoms.length >= NOTES_MAX) return false;
        line.symptoms = [...line.symptoms, `${kind}: ${evidence}`];
        return true;
      }
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED': {
        const { agentId, incidentId, cause, step } = event.payload;
        this.open(event.at, agentId, incidentId, cause, step);
        return true;
      }
      case 'INCIDENT_STEP': {
        const { incidentId, step, reason } = event.payload;
        return this.change(incidentId, (line) => {
          line.recovery_action = step;
          this.addNote(line, event.at, `${step}: ${reason}`);
        });
      }
      case 'ESCALATION_TRIGGERED':
        return this.change(event.payload.incidentId, (line) => {
          line.escalated_to = 'operator';
          line.recovery_result = 'pending_approval';
          line.failure_cause = event.payload.reason;
        });
      case 'DECISION_MADE': {
        const { incidentId, decision, by, reason } = event.payload;
        return (
          incidentId !== null &&
          this.change(incidentId, (line) => {
            line.recovery_result = 'pending';
            this.addNote(line, event.at, `${by} decided ${decision}: ${reason}`);
          })
        );
      }
      case 'RECOVERY_COMPLETED':
        return this.changeOpen(event.payload.newAgentId, (line) => {
          line.recovery_result = 'success';
        });
      case 'RECOVERY_FAILED':
        return this.changeOpen(event.payload.agentId, (line) => {
          line.recovery_result = 'failed';
          this.addNote(line, event.at, event.payload.reason);
        });
      case 'INCIDENT_CLOSED': {
        const { agentId, incidentId, reason } = event.payload;
        this.openOf.delete(agentId);
        const entry = this.entries.get(incidentId);
        return this.change(incidentId, (line) => {
          if (line.recovery_result !== 'success' && line.recovery_result !== 'failed')
            line.recovery_result = 'closed';
          line.time_to_recovery = Math.round((event.at - (entry?.openedAt ?? event.at)) / 1_000);
          this.addNote(line, event.at, `closed: ${reason}`);
        });
      }
      default:
        return false;
    }
  }

  /** What kind of failure its open incident is about, as the record says; it is kept when the incident closes. */
  classify(agentId: string, failure: Failure): void {
    this.changeOpen(agentId, (line) => {
      line.failure_type = failure.kind;
      line.classification_reasoning = failure.because;
    });
  }

  /** JSON lines, the oldest incident first. */
  text(): string {
    return [...this.entries.values()].map(({ line }) => `${JSON.stringify(line)}\n`).join('');
  }

  private open(at: Instant, agentId: string, incidentId: string, cause: string, step: string): void {
    this.openOf.set(agentId, incidentId);
    const known = this.entries.get(incidentId)?.line;
    if (known) {
      known.recovery_action = step;
      known.recovery_result = 'pending';
      known.time_to_recovery = null;
      return this.addNote(known, at, `opened again: ${cause}`);
    }
    const found = this.found.get(agentId);
    const evidence = found?.kind === cause ? found.evidence : '';
    this.entries.set(incidentId, {
      openedAt: at,
      line: {
        incident_id: incidentId,
        timestamp: ecosTime(at),
        agent: agentId,
        ...UNCLASSIFIED,
        failure_cause: evidence,
        detection_method: `holter: ${cause}`,
        symptoms: evidence === '' ? [] : [`${cause}: ${evidence}`],
        recovery_action: step,
        recovery_result: 'pending',
        time_to_recovery: null,
        escalated_to: null,
        notes: [],
      },
    });
    const [oldest] = this.entries.keys();
    if (this.entries.size > INCIDENTS_MAX && oldest !== undefined) this.entries.delete(oldest);
  }

  private openLine(agentId: string): Line | undefined {
    return this.entries.get(this.openOf.get(agentId) ?? '')?.line;
  }

  private change(incidentId: string, edit: (line: Line) => void): boolean {
    const line = this.entries.get(incidentId)?.line;
    if (line) edit(line);
    return line !== undefined;
  }

  private changeOpen(agentId: string, edit: (line: Line) => void): boolean {
    return this.change(this.openOf.get(agentId) ?? '', edit);
  }

  private addNote(line: Line, at: Instant, text: string): void {
    line.notes = [...line.notes, `${ecosTime(at)} ${text}`].slice(-NOTES_MAX);
  }
}
