import {
  type AskKind,
  type BreakerState,
  type DecisionWord,
  type EffectKind,
  type EventType,
  FINDING_KINDS,
  type FindingKind,
  HOLD_KINDS,
  LADDER,
  type LadderStep,
  type ReceiptOutcome,
  type SignalKind,
  TRANSITIONS,
} from '@holter/core';
import { BEHAVIOURS } from '../agents/mix.ts';
import { FAULT_KINDS } from '../base/scenario.ts';
import { ENGINE_FAULTS, MOMENTS } from '../engine/engine-faults.ts';
import { STORE_FAULTS } from '../engine/faulty-store.ts';
import { MAIL_WORDS } from '../mail/mail-simulation.ts';

/**
 * Everything that could happen in a run, so that what never does is seen. Lists come from the core; where it
 * has only a type, the words stand here in a record that the compiler asks to be complete.
 */
type All<Word extends string> = Readonly<Record<Word, true>>;

const words = <Word extends string>(all: All<Word>): readonly Word[] => Object.keys(all) as Word[];

const decisions = words<DecisionWord>({
  allow_more_time: true,
  force_handoff: true,
  terminate_and_recover: true,
  terminate: true,
  recover: true,
  replace: true,
  nudge: true,
  pause: true,
  resume: true,
  dismiss: true,
  wake: true,
  acknowledge: true,
});

const effects = words<EffectKind>({
  nudge: true,
  inquire: true,
  remind: true,
  notify: true,
  'deny-call': true,
  'request-handoff': true,
  terminate: true,
  spawn: true,
});

const outcomes = words<ReceiptOutcome>({
  posted: true,
  delivered: true,
  seen: true,
  done: true,
  refused: true,
  unknown: true,
});

const signals = words<SignalKind>({
  heartbeat: true,
  pong: true,
  activity: true,
  status: true,
  'turn-begun': true,
  'turn-ended': true,
  'call-begun': true,
  'call-ended': true,
  said: true,
  compaction: true,
  tokens: true,
  checkpoint: true,
  'task-assigned': true,
  'task-updated': true,
  'task-ended': true,
  'job-ended': true,
  verdict: true,
  'message-delivered': true,
  'message-acknowledged': true,
  'message-failed': true,
  connection: true,
  process: true,
  'hold-begun': true,
  'hold-ended': true,
  error: true,
  blocker: true,
  'handoff-requested': true,
  'handoff-written': true,
  started: true,
  stopped: true,
  exited: true,
  finding: true,
  'finding-cleared': true,
});

const events = words<EventType>({
  AGENT_HEARTBEAT: true,
  HEALTH_STATE_CHANGED: true,
  NUDGE_SENT: true,
  ESCALATION_TRIGGERED: true,
  AGENT_TERMINATED: true,
  RECOVERY_INITIATED: true,
  RECOVERY_COMPLETED: true,
  RECOVERY_FAILED: true,
  CIRCUIT_BREAKER_STATE_CHANGED: true,
  AGENT_REGISTERED: true,
  AGENT_ENDED: true,
  AGENT_RETURNED: true,
  LIVENESS_CHANGED: true,
  FINDING_RAISED: true,
  FINDING_CLEARED: true,
  INCIDENT_OPENED: true,
  INCIDENT_REOPENED: true,
  INCIDENT_STEP: true,
  INCIDENT_ACKNOWLEDGED: true,
  INCIDENT_CLOSED: true,
  DECISION_MADE: true,
  DECISION_REJECTED: true,
  QUIET_BEGAN: true,
  QUIET_ENDED: true,
  STOP_ANNOUNCED: true,
  HOLD_BEGAN: true,
  HOLD_ENDED: true,
  EFFECT_RECEIPT: true,
  EFFECT_CANCELLED: true,
  SIGNAL_REJECTED: true,
  ACK_OVERDUE: true,
  CHECKPOINT_WRITTEN: true,
  TASK_CHANGED: true,
  JOB_ENDED: true,
  BLOCKER_REPORTED: true,
  HANDOFF_REQUESTED: true,
  HANDOFF_WRITTEN: true,
  ATTENTION_RAISED: true,
  WORKER_ESCALATION_TICKET: true,
  QUEEN_INTERVENTION_REQUESTED: true,
  TICKET_CHANGED: true,
  MASS_FAILURE: true,
  MASS_FAILURE_OVER: true,
});

/** The fleet's reasons to say "not now", by what was asked; a loss is only told, and a nudge passes the brake. */
const deferrals: Readonly<Record<AskKind, readonly ('brake' | 'budget')[]>> = {
  loss: [],
  nudge: ['budget'],
  notice: ['brake', 'budget'],
  terminate: ['brake'],
  start: ['brake', 'budget'],
};

const breakerMoves: readonly (readonly [from: BreakerState, to: BreakerState])[] = [
  ['CLOSED', 'OPEN'],
  ['OPEN', 'HALF_OPEN'],
  ['HALF_OPEN', 'CLOSED'],
  ['HALF_OPEN', 'OPEN'],
  // By an operator's reset.
  ['OPEN', 'CLOSED'],
];

const BREAKERS = [
  'tool_execution',
  'checkpoint_write',
  'external_api',
  'recovery_attempt',
  // Of the simulated operator: by a share of failures, and of slow calls.
  'model_call',
  'search',
] as const;

/** Where an incident about this kind may begin; the operator's own have no finding. */
function entriesOf(kind: FindingKind): readonly LadderStep[] {
  switch (FINDING_KINDS[kind].entry) {
    case 'nudge':
      return ['nudge', 'escalate'];
    case 'escalate':
      return kind === 'frozen' ? ['escalate', 'terminate'] : ['escalate'];
    case 'policy':
      return ['escalate', 'terminate'];
    case 'recover':
      return ['recover', 'escalate'];
    case 'none':
      return [];
  }
}

const findingKinds = Object.keys(FINDING_KINDS) as FindingKind[];

/** Section by section, in the order of the table. */
export const POSSIBLE: Readonly<Record<string, readonly string[]>> = {
  behaviour: BEHAVIOURS.map(({ name }) => name),
  fault: FAULT_KINDS,
  'engine fault': [...ENGINE_FAULTS, ...STORE_FAULTS],
  'server killed': [
    ...MOMENTS,
    ...['putMeta', 'listMeta', 'renewEffects'].flatMap((where) => [`before ${where}`, `after ${where}`]),
    'on request',
    'at its start: the store was away',
  ],
  mail: MAIL_WORDS,
  signal: signals,
  rejected: [
    'no incarnation, but the agent is registered',
    'stale incarnation',
    'unknown incarnation',
    'only Holter itself may say this',
    'only an operator may pause',
    'the agent has ended',
  ],
  finding: findingKinds.flatMap((kind) => [`${kind} warn`, `${kind} act`]),
  health: Object.entries(TRANSITIONS).flatMap(([from, all]) => all.map((to) => `${from} → ${to}`)),
  liveness: [
    'alive → unknown (silence)',
    'alive → unknown (event-loop-freeze)',
    'alive → unknown (suspended)',
    'alive → unknown (network-partition)',
    'alive → gone (process-crash)',
    'alive → gone (stopped)',
    'unknown → gone (process-crash)',
    'unknown → gone (stopped)',
    'unknown → alive (heard again)',
    'unknown → alive (its process was seen again)',
  ],
  hold: HOLD_KINDS,
  entry: [
    ...findingKinds.flatMap((kind) => entriesOf(kind).map((step) => `${kind} at ${step}`)),
    ...(['nudge', 'escalate', 'terminate', 'recover'] as const).map((step) => `operator at ${step}`),
  ],
  reopened: ['nudge', 'escalate'],
  step: LADDER,
  decision: [
    ...decisions.flatMap((word) => [`${word} made`, `${word} rejected`]),
    'isolate breaker made',
    'reset breaker made',
  ],
  effect: effects.flatMap((kind) => ['proceeds', 'cancelled', ...outcomes].map((what) => `${kind} ${what}`)),
  'held back': [
    'stall',
    'mass failure',
    'mass failure over',
    ...Object.entries(deferrals).flatMap(([ask, all]) => all.map((because) => `${ask} by the ${because}`)),
  ],
  breaker: BREAKERS.flatMap((name) => breakerMoves.map(([from, to]) => `${name} ${from} → ${to}`)),
  permit: [
    'given, closed',
    'given, half open',
    'refused, open',
    'refused, half-open',
    'refused, isolated',
    'success reported',
    'failure reported',
    'reported too late',
  ],
  event: events,
};
