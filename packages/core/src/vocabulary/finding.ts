import type { Instant } from '../base/time.ts';

/**
 * A finding is what a detector or rule reports; it never acts. Everything that follows from a kind (the health
 * state, the step at which its incident enters the ladder) is in this table, so that adding a kind is one line.
 */
export type Severity = 'warn' | 'act';

/** The source of the evidence. Automatic termination needs two different ones (invariant 6). */
export type EvidenceSource = 'agent-reports' | 'operating-system' | 'screen' | 'delivery-receipts';

/**
 * The subject of a finding decides the health state of an `act`: `progress` makes STUCK, `failure` and `liveness`
 * make FAILING, `attention` never gets past DEGRADED.
 */
type FindingAbout = 'liveness' | 'progress' | 'failure' | 'attention';

/** Where an incident about this kind enters the ladder; `policy` means the step that the operator configured. */
export type FindingEntry = 'nudge' | 'escalate' | 'recover' | 'policy' | 'none';

type KindRule = {
  readonly about: FindingAbout;
  readonly entry: FindingEntry;
  /**
   * A loop of calls or words: a nudge that was read and changed nothing is a second source against it. Waiting,
   * talking and compacting are no such loops; without evidence from the operating system they end at a person.
   */
  readonly isRepeat?: true;
};

const kinds = {
  'missed-heartbeats': { about: 'liveness', entry: 'escalate' },
  'no-pong': { about: 'liveness', entry: 'escalate' },
  'process-gone': { about: 'liveness', entry: 'recover' },
  frozen: { about: 'liveness', entry: 'escalate' },
  silent: { about: 'progress', entry: 'nudge' },
  'work-unstarted': { about: 'progress', entry: 'nudge' },
  'checkpoint-stale': { about: 'progress', entry: 'nudge' },
  'repeated-call': { about: 'progress', entry: 'nudge', isRepeat: true },
  'call-cycle': { about: 'progress', entry: 'nudge', isRepeat: true },
  'same-error': { about: 'progress', entry: 'nudge', isRepeat: true },
  'near-duplicate': { about: 'progress', entry: 'nudge', isRepeat: true },
  'zero-diversity': { about: 'progress', entry: 'nudge', isRepeat: true },
  'unchanged-poll': { about: 'progress', entry: 'nudge' },
  'repeated-text': { about: 'progress', entry: 'nudge', isRepeat: true },
  monologue: { about: 'progress', entry: 'nudge' },
  'empty-replies': { about: 'progress', entry: 'nudge', isRepeat: true },
  'compaction-loop': { about: 'progress', entry: 'nudge' },
  'unknown-tool': { about: 'progress', entry: 'nudge', isRepeat: true },
  'failing-calls': { about: 'progress', entry: 'nudge' },
  revisit: { about: 'progress', entry: 'nudge' },
  'dry-spell': { about: 'progress', entry: 'nudge' },
  'same-answer': { about: 'progress', entry: 'nudge' },
  'restated-plan': { about: 'progress', entry: 'nudge' },
  'verdict-streak': { about: 'progress', entry: 'nudge' },
  'context-exhausted': { about: 'progress', entry: 'nudge' },
  'token-spike': { about: 'attention', entry: 'none' },
  'token-flat': { about: 'progress', entry: 'nudge' },
  'error-rate': { about: 'attention', entry: 'none' },
  'task-overdue': { about: 'progress', entry: 'escalate' },
  'delivery-failed': { about: 'liveness', entry: 'escalate' },
  'ack-overdue': { about: 'progress', entry: 'escalate' },
  'hold-overdue': { about: 'attention', entry: 'none' },
  'self-reported': { about: 'attention', entry: 'none' },
  'file-unusable': { about: 'attention', entry: 'none' },
  blocker: { about: 'attention', entry: 'none' },
  'breaker-open': { about: 'failure', entry: 'escalate' },
  'consecutive-failures': { about: 'failure', entry: 'escalate' },
  'unrecoverable-error': { about: 'failure', entry: 'policy' },
  'limit-exceeded': { about: 'progress', entry: 'policy' },
} as const satisfies Record<string, KindRule>;

export type FindingKind = keyof typeof kinds;

export const FINDING_KINDS: Readonly<Record<FindingKind, KindRule>> = kinds;

export const isFindingKind = (value: string): value is FindingKind => Object.hasOwn(kinds, value);

export type Finding = {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly source: EvidenceSource;
  /** When the condition began, not when it was noticed. */
  readonly since: Instant;
  /** One sentence that a person understands without reading code; at most `EVIDENCE_LENGTH_MAX`. */
  readonly evidence: string;
  /** The limit that was crossed, in words: "3 missed beats", "5 identical calls". */
  readonly threshold: string;
  /** How often it has repeated so far; only for repeat kinds. */
  readonly count?: number;
};

export const EVIDENCE_LENGTH_MAX = 200;
