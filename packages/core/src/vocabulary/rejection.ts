/** Why a signal was not folded in, by code; the text is for people and for the record. */
const SIGNAL_REJECTIONS = {
  'other-agent': 'another agent',
  'no-incarnation': 'no incarnation, but the agent is registered',
  'stale-incarnation': 'stale incarnation',
  'unknown-incarnation': 'unknown incarnation',
  'sensed-only': 'only Holter itself may say this',
  'operator-only': 'only an operator may pause',
  'agent-ended': 'the agent has ended',
  'too-many-tasks': 'the agent has as many open tasks as it may have',
  'own-breaker': "Holter's own breaker takes no asks and no reports from outside",
} as const;

export type SignalRejectionCode = keyof typeof SIGNAL_REJECTIONS;

/** Why a decision can't be carried out. */
type DecisionRejectionCode =
  | 'acknowledged-already'
  | 'agent-ended'
  | 'can-not-nudge'
  | 'can-not-start'
  | 'can-not-stop'
  | 'checkpoint-unusable'
  | 'ended-on-purpose'
  | 'finding-not-held'
  | 'incident-not-open'
  | 'needs-approval'
  | 'not-ended'
  | 'not-lost'
  | 'not-paused'
  | 'not-quiet'
  | 'paused-already'
  | 'start-under-way'
  | 'termination-under-way'
  | 'ticket-known'
  | 'ticket-unknown'
  | 'too-many-snoozed';

type Rejected<Code extends string> = { readonly code: Code; readonly because: string };
export type SignalRejection = Rejected<SignalRejectionCode>;
export type DecisionRejection = Rejected<DecisionRejectionCode>;

export const signalRejection = (code: SignalRejectionCode): SignalRejection => ({
  code,
  because: SIGNAL_REJECTIONS[code],
});
