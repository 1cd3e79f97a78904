import type { Instant } from '../base/time.ts';
import type { CancellationCode } from './cancellation.ts';
import type { EffectKind, ReceiptOutcome } from './effect.ts';
import type { FindingKind, Severity } from './finding.ts';
import type { HealthState } from './health-state.ts';
import type { HoldKind } from './hold.ts';
import type { LadderStep } from './ladder.ts';
import type { DecisionRejection, SignalRejection } from './rejection.ts';
import type { HeartbeatBody, JobOutcome, MessagePriority } from './signal.ts';
import type { EscalationTicket, TicketAnswer, TicketCondition, TicketSeverity } from './ticket.ts';

/** What happened, for all subscribers. The first nine names and payloads are seed 000 §6. */
export type HolterEvent = {
  readonly at: Instant;
  readonly incarnation: number;
  /** How many more of this type the agent's signals made in the same minute; they have no row of their own. */
  readonly folded?: number;
} & EventBody;

export type BreakerState = 'CLOSED' | 'OPEN' | 'HALF_OPEN';
export type LivenessWord = 'alive' | 'gone' | 'unknown';

type Of<Type extends string, Payload> = { readonly type: Type; readonly payload: Readonly<Payload> };

export type EventBody =
  | Of<'AGENT_HEARTBEAT', { agentId: string } & Omit<HeartbeatBody, 'kind'>>
  | Of<
      'HEALTH_STATE_CHANGED',
      { agentId: string; from: HealthState; to: HealthState; reason: string; evidence: string }
    >
  | Of<'NUDGE_SENT', { agentId: string; attempt: number; message: string }>
  | Of<'ESCALATION_TRIGGERED', { agentId: string; reason: string; incidentId: string }>
  | Of<'AGENT_TERMINATED', { agentId: string; reason: string; checkpoint?: string }>
  | Of<'RECOVERY_INITIATED', { agentId: string; taskId: string; fromCheckpoint: string; attempt: number }>
  | Of<'RECOVERY_COMPLETED', { taskId: string; newAgentId: string }>
  | Of<'RECOVERY_FAILED', { agentId: string; taskId: string; reason: string; attempts: number }>
  | Of<
      'CIRCUIT_BREAKER_STATE_CHANGED',
      { agentId: string; name: string; from: BreakerState; to: BreakerState }
    >
  // Beyond seed 000.
  | Of<'AGENT_REGISTERED', { agentId: string; role: string; group: string; isOrdered?: true }>
  | Of<'AGENT_ENDED', { agentId: string; how: 'exit-0' | 'stopped' | 'crash'; detail: string }>
  | Of<'AGENT_RETURNED', { agentId: string; downtimeMs: number }>
  | Of<'LIVENESS_CHANGED', { agentId: string; from: LivenessWord; to: LivenessWord; cause: string }>
  | Of<
      'FINDING_RAISED',
      {
        agentId: string;
        kind: FindingKind;
        severity: Severity;
        evidence: string;
        threshold: string;
        /** How long the condition had held before Holter noticed it. */
        lateMs: number;
      }
    >
  | Of<'FINDING_CLEARED', { agentId: string; kind: FindingKind }>
  | Of<
      'INCIDENT_OPENED',
      { agentId: string; incidentId: string; cause: FindingKind | 'operator'; step: LadderStep }
    >
  | Of<
      'INCIDENT_REOPENED',
      {
        agentId: string;
        incidentId: string;
        cause: FindingKind | 'operator';
        step: LadderStep;
        attempt: number;
      }
    >
  | Of<
      'INCIDENT_STEP',
      { agentId: string; incidentId: string; step: LadderStep; attempt: number; reason: string }
    >
  | Of<'INCIDENT_ACKNOWLEDGED', { agentId: string; incidentId: string; by: string; reason: string }>
  | Of<
      'INCIDENT_CLOSED',
      {
        agentId: string;
        incidentId: string;
        reason: string;
        /** What the agent used while it was open. */
        tokens: number;
        costUsd: number;
      }
    >
  | Of<
      'DECISION_MADE',
      {
        agentId: string;
        incidentId: string | null;
        decision: string;
        by: string;
        reason: string;
        /** The one kind of finding that it is about. */
        finding?: FindingKind;
        /** The finding that it calls wrong. */
        wrong?: readonly FindingKind[];
        /** The checkpoint that it picks. */
        checkpointId?: string;
      }
    >
  | Of<'DECISION_REJECTED', { agentId: string; decision: string; by: string } & DecisionRejection>
  | Of<'QUIET_BEGAN', { agentId: string; finding?: FindingKind; until: Instant; by: string; reason: string }>
  | Of<'QUIET_ENDED', { agentId: string; finding?: FindingKind; by: string; reason: string }>
  /** The agent says that it has stopped, but its process is looked at and has not ended. */
  | Of<'STOP_ANNOUNCED', { agentId: string; reason: string }>
  | Of<'HOLD_BEGAN', { agentId: string; hold: HoldKind; until?: Instant }>
  | Of<'HOLD_ENDED', { agentId: string; hold: HoldKind; heldMs: number }>
  | Of<
      'EFFECT_RECEIPT',
      {
        agentId: string;
        effectId: string;
        effect: EffectKind;
        outcome: ReceiptOutcome;
        detail: string;
        /** For a notice: the channel that reports it. */
        channel?: string;
      }
    >
  /** Older events in the log have no code. */
  | Of<'EFFECT_CANCELLED', { agentId: string; effectId: string; code?: CancellationCode; because: string }>
  | Of<'SIGNAL_REJECTED', { agentId: string; kind: string } & SignalRejection>
  /** A letter was not acknowledged in time. */
  | Of<'ACK_OVERDUE', { agentId: string; messageId: string; priority: MessagePriority; waitedMs: number }>
  | Of<'CHECKPOINT_WRITTEN', { agentId: string; checkpointId: string }>
  | Of<'TASK_CHANGED', { agentId: string; taskId: string; status: string; percent?: number }>
  | Of<
      'JOB_ENDED',
      {
        agentId: string;
        outcome: JobOutcome;
        /** The exit code, where it was told. */
        code?: number;
        /** From its reported start to its end. */
        durationMs?: number;
        /** The beginning of what the job printed. */
        output?: string;
      }
    >
  | Of<'BLOCKER_REPORTED', { agentId: string; text: string }>
  | Of<'HANDOFF_REQUESTED', { agentId: string; by: 'agent' | 'holter'; reason: string }>
  | Of<'HANDOFF_WRITTEN', { agentId: string; noteId: string }>
  | Of<'ATTENTION_RAISED', { agentId: string; about: string; message: string }>
  // Seed 003, with the incident that a ticket belongs to.
  | Of<
      'WORKER_ESCALATION_TICKET',
      { agentId: string; ticket: EscalationTicket; condition: TicketCondition; incidentId: string | null }
    >
  | Of<
      'QUEEN_INTERVENTION_REQUESTED',
      {
        agentId: string;
        ticket_id: string;
        analysis: string;
        severity: TicketSeverity;
        queen_graph_id: string;
        queen_stream_id: string;
        incidentId: string | null;
      }
    >
  /** By the triage, by the judge that no longer sees its condition, or by a person's answer. */
  | Of<
      'TICKET_CHANGED',
      {
        agentId: string;
        ticketId: string;
        status: 'dismissed' | 'resolved' | TicketAnswer;
        by: string;
        reason: string;
      }
    >
  // About the fleet; the payload names a group instead of an agent.
  | Of<'MASS_FAILURE', { group: string; lost: number; size: number }>
  /** `isSpent`: the group went on losing agents, but its brake has been engaged for as long as it may. */
  | Of<'MASS_FAILURE_OVER', { group: string; isSpent?: true }>;

export type EventType = EventBody['type'];
export type EventOf<T extends EventType> = Extract<HolterEvent, { readonly type: T }>;
