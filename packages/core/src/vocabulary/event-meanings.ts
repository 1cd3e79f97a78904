import type { EventBody, EventType } from './event.ts';

type PayloadOf<T extends EventType> = Extract<EventBody, { readonly type: T }>['payload'];
type KeysOf<P> = P extends unknown ? keyof P & string : never;

/** What one type of event says, and each field of its payload. */
export type EventMeaning<Field extends string = string> = {
  readonly says: string;
  readonly payload: Readonly<Record<Field, string>>;
};

const agentId = 'the agent';
const incidentId = 'the incident, `agent/number`';
const reason = 'why, in words';
const by = 'who decided: a person, `policy` or Holter';
const step = '`nudge`, `escalate`, `terminate`, `recover` or `human`';
const finding = 'the one kind of finding that it is about; absent: all';
const taskId = 'the task';

/** For the reference; the compiler asks for every type and every field. */
export const EVENT_MEANINGS: { readonly [T in EventType]: EventMeaning<KeysOf<PayloadOf<T>>> } = {
  AGENT_HEARTBEAT: {
    says: 'The agent said that it is alive. Streamed, and counted; not kept in the audit trail.',
    payload: {
      agentId,
      taskId: 'the task that it works on',
      timestamp: 'when it was sent, by the clock of the agent',
      phase: 'what it is doing',
      lastToolCall: 'when it last called a tool',
      tokenCount: 'tokens since its start',
      errorCount: 'errors since its start',
      progressIndicator: 'how far it is, in its own words',
      status: '`healthy`, `busy` or `degraded`',
    },
  },
  HEALTH_STATE_CHANGED: {
    says: 'The state of the agent changed.',
    payload: {
      agentId,
      from: 'HEALTHY, DEGRADED, STUCK, FAILING or TERMINATED',
      to: 'the same',
      reason: 'the finding behind it',
      evidence: 'what was seen',
    },
  },
  NUDGE_SENT: {
    says: 'A nudge has reached the agent.',
    payload: { agentId, attempt: 'which nudge of this incident', message: 'its words' },
  },
  ESCALATION_TRIGGERED: {
    says: 'A person is asked to decide.',
    payload: { agentId, reason, incidentId },
  },
  AGENT_TERMINATED: {
    says: 'Holter has stopped the agent.',
    payload: { agentId, reason, checkpoint: 'the checkpoint that a successor would start from' },
  },
  RECOVERY_INITIATED: {
    says: 'A restart was ordered.',
    payload: {
      agentId,
      taskId,
      fromCheckpoint: 'the checkpoint; `session` if the session is resumed, `task-start` if there is neither',
      attempt: 'which restart of this task',
    },
  },
  RECOVERY_COMPLETED: {
    says: 'The restarted agent has passed its probation.',
    payload: { taskId, newAgentId: 'the agent that took over' },
  },
  RECOVERY_FAILED: {
    says: 'The restart did not help, or could not be made.',
    payload: { agentId, taskId, reason, attempts: 'restarts so far' },
  },
  CIRCUIT_BREAKER_STATE_CHANGED: {
    says: 'A circuit breaker opened, tries again, or closed.',
    payload: { agentId, name: 'the breaker', from: 'CLOSED, OPEN or HALF_OPEN', to: 'the same' },
  },
  AGENT_REGISTERED: {
    says: 'An agent, or a new start of one, is known.',
    payload: { agentId, role: 'its role', group: 'its group', isOrdered: 'true for a restart by Holter' },
  },
  AGENT_ENDED: {
    says: 'The agent has ended, and that is proven.',
    payload: { agentId, how: '`exit-0`, `stopped` or `crash`', detail: 'exit code, signal or its words' },
  },
  AGENT_RETURNED: {
    says: 'An agent that was silent is heard again.',
    payload: { agentId, downtimeMs: 'how long it was silent' },
  },
  LIVENESS_CHANGED: {
    says: 'Whether it is alive changed.',
    payload: { agentId, from: '`alive`, `gone` or `unknown`', to: 'the same', cause: 'the likely cause' },
  },
  FINDING_RAISED: {
    says: 'A rule or detector found something.',
    payload: {
      agentId,
      kind: 'the kind of finding',
      severity: '`warn` or `act`',
      evidence: 'what was seen',
      threshold: 'the limit that was crossed',
      lateMs: 'how long it had held before it was noticed',
    },
  },
  FINDING_CLEARED: {
    says: 'A finding does not hold any more.',
    payload: { agentId, kind: 'the kind of finding' },
  },
  INCIDENT_OPENED: {
    says: 'Something has to be done about the agent.',
    payload: { agentId, incidentId, cause: 'the kind of finding, or `operator`', step },
  },
  INCIDENT_REOPENED: {
    says: 'The same trouble came back soon after its incident had closed.',
    payload: {
      agentId,
      incidentId,
      cause: 'the kind of finding, or `operator`',
      step,
      attempt: 'which try of this step',
    },
  },
  INCIDENT_STEP: {
    says: 'The incident went on to another step or try.',
    payload: { agentId, incidentId, step, attempt: 'which try of this step', reason },
  },
  INCIDENT_ACKNOWLEDGED: {
    says: 'A person has seen the incident and is not told again.',
    payload: { agentId, incidentId, by, reason },
  },
  INCIDENT_CLOSED: {
    says: 'The incident is closed.',
    payload: {
      agentId,
      incidentId,
      reason,
      tokens: 'tokens that the agent used meanwhile',
      costUsd: 'what that cost',
    },
  },
  DECISION_MADE: {
    says: 'A decision was taken.',
    payload: {
      agentId,
      incidentId: 'the incident, if there was one',
      decision: 'the decision',
      by,
      reason,
      finding,
      wrong: 'the findings that were marked as a false alarm',
      checkpointId: 'the checkpoint that was picked',
    },
  },
  DECISION_REJECTED: {
    says: 'A decision was not accepted.',
    payload: { agentId, decision: 'the decision', by, code: 'why, as a code', because: 'why, in words' },
  },
  QUIET_BEGAN: {
    says: 'The agent, or one kind of finding, is snoozed.',
    payload: { agentId, finding, until: 'the end of it', by, reason },
  },
  QUIET_ENDED: {
    says: 'A snooze has ended.',
    payload: { agentId, finding, by, reason },
  },
  STOP_ANNOUNCED: {
    says: 'The agent says that it has stopped, but its process still runs.',
    payload: { agentId, reason },
  },
  HOLD_BEGAN: {
    says: 'The agent rightly does nothing: its progress clocks stand still.',
    payload: { agentId, hold: 'what it waits for', until: 'the end of it, if it is known' },
  },
  HOLD_ENDED: {
    says: 'A hold has ended.',
    payload: { agentId, hold: 'what it waited for', heldMs: 'how long' },
  },
  EFFECT_RECEIPT: {
    says: 'What became of something that Holter wanted done.',
    payload: {
      agentId,
      effectId: 'the effect',
      effect: 'its kind',
      outcome: '`posted`, `delivered`, `seen`, `done`, `refused` or `unknown`',
      detail: 'more about it',
      channel: 'for a notice: the channel that reports it',
    },
  },
  EFFECT_CANCELLED: {
    says: 'Something that Holter had wanted is not needed any more.',
    payload: { agentId, effectId: 'the effect', code: 'why, as a code', because: 'why, in words' },
  },
  SIGNAL_REJECTED: {
    says: 'A signal was refused and changed nothing.',
    payload: { agentId, kind: 'the kind of signal', code: 'why, as a code', because: 'why, in words' },
  },
  ACK_OVERDUE: {
    says: 'A letter was not acknowledged in time. Alone, this is no failure.',
    payload: {
      agentId,
      messageId: 'the letter',
      priority: '`urgent`, `high`, `normal` or `low`',
      waitedMs: 'how long it has been in the box',
    },
  },
  CHECKPOINT_WRITTEN: {
    says: 'A checkpoint was written.',
    payload: { agentId, checkpointId: 'the checkpoint' },
  },
  TASK_CHANGED: {
    says: 'A task was assigned, updated or ended.',
    payload: { agentId, taskId, status: 'what happened', percent: 'how much is done' },
  },
  JOB_ENDED: {
    says: 'A run of a job that reports by pings has ended.',
    payload: {
      agentId,
      outcome: '`done` or `failed`',
      code: 'the exit code, if it was reported',
      durationMs: 'from its start to its end, if the start was reported',
      output: 'the beginning of what it printed',
    },
  },
  BLOCKER_REPORTED: {
    says: 'The agent says what keeps it from going on.',
    payload: { agentId, text: 'its words' },
  },
  HANDOFF_REQUESTED: {
    says: 'Somebody else should take the work over.',
    payload: { agentId, by: '`agent` or `holter`', reason },
  },
  HANDOFF_WRITTEN: {
    says: 'A handoff note was written.',
    payload: { agentId, noteId: 'the note' },
  },
  ATTENTION_RAISED: {
    says: 'A person should look; Holter does nothing by itself.',
    payload: { agentId, about: 'what it is about', message: 'what was seen' },
  },
  WORKER_ESCALATION_TICKET: {
    says: 'A judge has written a ticket about the agent.',
    payload: {
      agentId,
      ticket: 'the ticket, with all its fields',
      condition: 'what it is about; one open ticket for each',
      incidentId: 'the incident that was open, or null',
    },
  },
  QUEEN_INTERVENTION_REQUESTED: {
    says: 'The triage of a ticket asks a person to look. The agent goes on.',
    payload: {
      agentId,
      ticket_id: 'the ticket',
      analysis: 'why a person is asked',
      severity: '`low`, `medium`, `high` or `critical`',
      queen_graph_id: 'always `holter`',
      queen_stream_id: 'always `triage`',
      incidentId: 'the incident that was open, or null',
    },
  },
  TICKET_CHANGED: {
    says: 'A ticket was dismissed or resolved, or a person said what it was worth.',
    payload: {
      agentId,
      ticketId: 'the ticket',
      status: '`dismissed`, `resolved`, `useful` or `false_alarm`',
      by: 'who',
      reason,
    },
  },
  MASS_FAILURE: {
    says: 'Many agents of a group were lost at once: single acts wait.',
    payload: { group: 'the group', lost: 'agents lost', size: 'agents in the group' },
  },
  MASS_FAILURE_OVER: {
    says: 'The brake of a group lets go.',
    payload: { group: 'the group', isSpent: 'true if it had been engaged for as long as it may' },
  },
};

export const EVENT_TYPES = Object.keys(EVENT_MEANINGS) as readonly EventType[];
