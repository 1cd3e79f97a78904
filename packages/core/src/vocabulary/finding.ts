import type { Instant } from '../base/time.ts';

/**
 * A finding is what a detector or rule reports; it never acts. Everything that follows from a kind (the health
 * state, the step at which its incident enters the ladder) is in this table, so that adding a kind is one line.
 */
export type Severity = 'warn' | 'act';

/** The source of the evidence. Automatic termination needs two different ones (invariant 6). */
export type EvidenceSource =
  | 'agent-reports'
  | 'operating-system'
  | 'screen'
  | 'delivery-receipts'
  /** An opinion about the other sources, and so no source of its own. */
  | 'judge';

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
  /** Says only what did not happen. A finding that says what happens instead is the cause, and comes before it. */
  readonly isAbsence?: true;
  /** Somebody's opinion, not a fact: it asks a person and leads nothing that rules have found. */
  readonly isOpinion?: true;
  /** Work that varies and brings nothing: rules only warn of it, because what it means is a matter of judgement. */
  readonly isFruitless?: true;
  /** What would count as progress, as the subject of a sentence. */
  readonly progress: string;
};

const kinds = {
  'missed-heartbeats': { about: 'liveness', entry: 'escalate', isAbsence: true, progress: 'a beat' },
  'no-pong': { about: 'liveness', entry: 'escalate', isAbsence: true, progress: 'a pong' },
  'process-gone': { about: 'liveness', entry: 'recover', progress: 'a new start' },
  frozen: { about: 'liveness', entry: 'escalate', progress: 'CPU time, I/O or an answer' },
  silent: { about: 'progress', entry: 'nudge', isAbsence: true, progress: 'a call or a message' },
  'work-unstarted': { about: 'progress', entry: 'nudge', isAbsence: true, progress: 'a first call' },
  'checkpoint-stale': { about: 'progress', entry: 'nudge', isAbsence: true, progress: 'a checkpoint' },
  'repeated-call': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a different result or another call',
  },
  'call-cycle': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a round with a different result',
  },
  'same-error': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a call that gets past this error',
  },
  'near-duplicate': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a search that finds something',
  },
  'zero-diversity': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a call that returns something new',
  },
  'unchanged-poll': { about: 'progress', entry: 'nudge', progress: 'a changed result' },
  'repeated-text': { about: 'progress', entry: 'nudge', isRepeat: true, progress: 'other words or a call' },
  monologue: { about: 'progress', entry: 'nudge', progress: 'a call' },
  'empty-replies': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a reply with words or a call',
  },
  'compaction-loop': { about: 'progress', entry: 'nudge', progress: 'a call that returns something new' },
  'unknown-tool': {
    about: 'progress',
    entry: 'nudge',
    isRepeat: true,
    progress: 'a call of a tool that exists',
  },
  'failing-calls': { about: 'progress', entry: 'nudge', isFruitless: true, progress: 'calls that succeed' },
  revisit: {
    about: 'progress',
    entry: 'nudge',
    isFruitless: true,
    progress: 'an edit or an answer not seen before',
  },
  'dry-spell': {
    about: 'progress',
    entry: 'nudge',
    isFruitless: true,
    progress: 'a call that finds something',
  },
  'same-answer': {
    about: 'progress',
    entry: 'nudge',
    isFruitless: true,
    progress: 'an edit that helps or a different answer',
  },
  'restated-plan': {
    about: 'progress',
    entry: 'nudge',
    isFruitless: true,
    progress: 'a new plan or a step of this one',
  },
  'verdict-streak': { about: 'progress', entry: 'nudge', progress: 'an ACCEPT' },
  'context-exhausted': { about: 'progress', entry: 'nudge', progress: 'a checkpoint or a handoff' },
  'token-spike': { about: 'attention', entry: 'none', progress: 'a usual rate' },
  spending: {
    about: 'attention',
    entry: 'none',
    isFruitless: true,
    progress: 'an edit, a better result or a checkpoint',
  },
  'token-flat': { about: 'progress', entry: 'nudge', isAbsence: true, progress: 'a model call' },
  'error-rate': { about: 'attention', entry: 'none', progress: 'calls that succeed' },
  'task-overdue': {
    about: 'progress',
    entry: 'escalate',
    isAbsence: true,
    progress: 'an update or the end of the task',
  },
  'foreign-task': { about: 'attention', entry: 'none', progress: 'a beat that names its open task' },
  'delivery-failed': { about: 'liveness', entry: 'escalate', progress: 'a delivered message' },
  'ack-overdue': { about: 'progress', entry: 'escalate', isAbsence: true, progress: 'an acknowledgement' },
  'hold-overdue': { about: 'attention', entry: 'none', progress: 'the end of the hold' },
  'self-reported': { about: 'attention', entry: 'none', progress: 'a report that all is well' },
  'not-exiting': { about: 'attention', entry: 'none', progress: 'the end of its process' },
  'hooks-silent': { about: 'attention', entry: 'none', progress: 'a hook' },
  'file-unusable': { about: 'attention', entry: 'none', progress: 'a file that can be read' },
  ticket: { about: 'attention', entry: 'escalate', isOpinion: true, progress: 'an ACCEPT or a new step' },
  blocker: { about: 'attention', entry: 'none', progress: 'a call that returns something new' },
  'job-late': { about: 'failure', entry: 'escalate', progress: 'a ping' },
  'job-failed': { about: 'failure', entry: 'escalate', progress: 'a run that succeeds' },
  'breaker-open': { about: 'failure', entry: 'escalate', progress: 'a closed breaker' },
  'consecutive-failures': { about: 'failure', entry: 'escalate', progress: 'a success' },
  'unrecoverable-error': { about: 'failure', entry: 'policy', progress: 'a call that returns something new' },
  'limit-exceeded': { about: 'progress', entry: 'policy', progress: 'a higher limit' },
  budget: { about: 'attention', entry: 'policy', progress: 'a higher budget, or the next day' },
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
