import type { EventType, EventView } from '@holter/server/wire';
import { causeWord, clockTime, duration, holdWord, personOf, plain, stepWord } from '../parts/words.ts';

type Payload = EventView['payload'];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const because = (reason: unknown): string => (text(reason) === '' ? '' : `: ${text(reason)}`);

const effectNouns: Readonly<Record<string, string>> = {
  nudge: 'the nudge',
  terminate: 'the order to stop',
  spawn: 'the order to restart',
  notify: 'the notice',
  'deny-call': 'the refusal of its call',
  inquire: 'the inquiry',
  remind: 'the reminder',
  'request-handoff': 'the request for a handoff note',
};
const outcomes: Readonly<Record<string, string>> = {
  posted: 'was posted',
  delivered: 'was delivered',
  seen: 'was read',
  done: 'was carried out',
  refused: 'was refused',
  unknown: 'has an unknown outcome',
};

const ticketChanges: Readonly<Record<string, string>> = {
  useful: 'marked as useful',
  false_alarm: 'marked as a false alarm',
};
/** The triage and the judge need no name. */
const isPerson = (status: unknown): boolean => text(status) in ticketChanges;

/** Where a successor begins if it has no checkpoint. */
const FROM: Readonly<Record<string, string>> = {
  session: 'its session',
  'task-start': 'the beginning of its task',
};

const endings: Readonly<Record<string, string>> = {
  'exit-0': 'finished',
  stopped: 'stopped',
  crash: 'ended unexpectedly',
};

const decisions: Readonly<Record<string, string>> = {
  allow_more_time: 'snooze',
  wake: 'end snooze',
  pause: 'pause monitoring',
  resume: 'resume monitoring',
  terminate_and_recover: 'restart',
  recover: 'restart',
};
/** As its button is called. A dismissal of findings names them; without them it accepts an end. */
function decisionWord(decision: unknown, isAboutFindings = true): string {
  if (decision === 'dismiss') return isAboutFindings ? 'false alarm' : "don't restart";
  return decisions[text(decision)] ?? plain(text(decision));
}

const sentences: Readonly<Record<EventType, (payload: Payload) => string>> = {
  AGENT_HEARTBEAT: () => 'heartbeat',
  AGENT_REGISTERED: ({ role, group }) => `started as ${text(role)} in ${text(group)}`,
  AGENT_ENDED: ({ how, detail }) => `${endings[text(how)] ?? 'ended'} (${text(detail)})`,
  AGENT_RETURNED: ({ downtimeMs }) => `heard again after ${duration(number(downtimeMs))}`,
  AGENT_TERMINATED: ({ reason }) => `stopped by Holter${because(reason)}`,
  HEALTH_STATE_CHANGED: ({ from, to, evidence }) =>
    `${plain(text(from))} → ${plain(text(to))}${because(evidence)}`,
  LIVENESS_CHANGED: ({ to, cause }) =>
    text(to) === 'unknown'
      ? `not heard (likely ${plain(text(cause))})`
      : `${text(to)} (${plain(text(cause))})`,
  FINDING_RAISED: ({ kind, severity, evidence }) =>
    `${text(severity) === 'act' ? 'found' : 'warning'}: ${plain(text(kind))}${because(evidence)}`,
  FINDING_CLEARED: ({ kind }) => `resolved: ${plain(text(kind))}`,
  INCIDENT_OPENED: ({ cause, step }) =>
    `incident opened (${causeWord(text(cause))}), first step: ${stepWord(text(step))}`,
  INCIDENT_REOPENED: ({ cause }) => `incident reopened (${causeWord(text(cause))})`,
  INCIDENT_STEP: ({ step, attempt, reason }) =>
    `${stepWord(text(step))}${number(attempt) > 1 ? ` ${number(attempt)}` : ''}${because(reason)}`,
  INCIDENT_ACKNOWLEDGED: ({ by, reason }) => `acknowledged by ${personOf(by)}${because(reason)}`,
  INCIDENT_CLOSED: ({ reason }) => `incident closed${because(reason)}`,
  NUDGE_SENT: ({ attempt, message }) => `nudge ${number(attempt)} sent${because(message)}`,
  ESCALATION_TRIGGERED: ({ reason }) => `escalated to a person${because(reason)}`,
  RECOVERY_INITIATED: ({ attempt, fromCheckpoint }) =>
    `restart ${number(attempt)} ordered, from ${FROM[text(fromCheckpoint)] ?? text(fromCheckpoint)}`,
  RECOVERY_COMPLETED: () => 'the restart has passed its probation',
  RECOVERY_FAILED: ({ reason }) => `restart failed${because(reason)}`,
  DECISION_MADE: ({ decision, by, reason, finding, wrong }) =>
    `${personOf(by)} decided: ${decisionWord(decision, wrong !== undefined)}${finding === undefined ? '' : ` about ${plain(text(finding))}`}${because(reason)}`,
  DECISION_REJECTED: ({ decision, by, because: why }) =>
    `refused: ${decisionWord(decision)} by ${personOf(by)}${because(why)}`,
  QUIET_BEGAN: ({ until, by, finding }) =>
    `snoozed${finding === undefined ? '' : ` (${plain(text(finding))})`} until ${clockTime(number(until), false)} by ${personOf(by)}`,
  QUIET_ENDED: ({ by, reason }) => `snooze ended by ${personOf(by)}${because(reason)}`,
  STOP_ANNOUNCED: ({ reason }) => `announced that it stops${because(reason)}`,
  HOLD_BEGAN: ({ hold }) => `on hold: ${holdWord(text(hold))}`,
  HOLD_ENDED: ({ hold, heldMs }) =>
    `no longer on hold: ${holdWord(text(hold))}, after ${duration(number(heldMs))}`,
  EFFECT_RECEIPT: ({ effect, outcome, detail }) =>
    `${effectNouns[text(effect)] ?? plain(text(effect))} ${outcomes[text(outcome)] ?? text(outcome)}${text(outcome) === 'seen' ? '' : because(detail)}`,
  EFFECT_CANCELLED: ({ because: why }) => `an order was cancelled${because(why)}`,
  SIGNAL_REJECTED: ({ kind, because: why }) => `refused a report (${plain(text(kind))})${because(why)}`,
  ACK_OVERDUE: ({ messageId, priority, waitedMs }) =>
    `has not acknowledged letter ${text(messageId)} (${text(priority)}) for ${duration(number(waitedMs))}`,
  CHECKPOINT_WRITTEN: ({ checkpointId }) => `wrote checkpoint ${text(checkpointId)}`,
  TASK_CHANGED: ({ taskId, status, percent }) =>
    `task ${text(taskId)}: ${plain(text(status))}${percent === undefined ? '' : `, ${number(percent)} %`}`,
  JOB_ENDED: ({ outcome, code, durationMs }) =>
    `the job ${text(outcome) === 'done' ? 'finished' : 'failed'}${code === undefined ? '' : ` (exit ${number(code)})`}${durationMs === undefined ? '' : ` after ${duration(number(durationMs))}`}`,
  WORKER_ESCALATION_TICKET: ({ ticket }) => {
    const { severity, cause } = ticket as Readonly<Record<string, unknown>>;
    return `the judge wrote a ${text(severity)} ticket${because(cause)}`;
  },
  QUEEN_INTERVENTION_REQUESTED: ({ severity, analysis }) =>
    `a person was notified of the ${text(severity)} ticket${because(analysis)}`,
  TICKET_CHANGED: ({ status, by, reason }) =>
    `ticket ${ticketChanges[text(status)] ?? plain(text(status))}${isPerson(status) ? ` by ${personOf(by)}` : ''}${because(reason)}`,
  BLOCKER_REPORTED: ({ text: words }) => `reports a blocker${because(words)}`,
  HANDOFF_REQUESTED: ({ reason }) => `handoff requested${because(reason)}`,
  HANDOFF_WRITTEN: ({ noteId }) => `wrote handoff note ${text(noteId)}`,
  ATTENTION_RAISED: ({ message }) => `needs attention${because(message)}`,
  CIRCUIT_BREAKER_STATE_CHANGED: ({ name, from, to }) =>
    `breaker ${text(name)}: ${plain(text(from))} → ${plain(text(to))}`,
  MASS_FAILURE: ({ lost, size }) =>
    `${number(lost)} of ${number(size)} agents of the group were lost at once`,
  MASS_FAILURE_OVER: () => 'the mass failure of the group is over',
};

/** What happened, as a sentence; an event of a newer server keeps its name. */
export const eventSentence = ({ type, payload }: EventView): string =>
  sentences[type as EventType]?.(payload) ?? plain(type);

/** The raw form: every field as it is stored. */
export const eventDetails = ({ type, payload, incarnation }: EventView): string =>
  JSON.stringify({ type, incarnation, ...payload }, null, 2);

/** Events without which the others are easier to read; the raw list has them. */
export const isMinor = ({ type, payload }: EventView): boolean =>
  type === 'AGENT_HEARTBEAT' ||
  (type === 'HOLD_BEGAN' && payload.hold === 'in-tool') ||
  (type === 'HOLD_ENDED' && payload.hold === 'in-tool') ||
  (type === 'EFFECT_RECEIPT' && payload.effect === 'notify');
