/** The rules of Holter. Pure: no I/O, no clock, no randomness, no dependency. Start at `transition`. */

export { type AlertBook, emptyBook, stepAlerts } from './alert/book.ts';
export { type AgentAlerts, conditionsOf } from './alert/conditions.ts';
export { type AlertTimes, alertTimes } from './alert/times.ts';
export { type Canonical, canonicalJson } from './base/canonical.ts';
export { hashText } from './base/hash.ts';
export { isAgentId, isPrototypeName } from './base/identifier.ts';
export { assertNever, InvariantError, invariant } from './base/invariant.ts';
export {
  between,
  type DurationMs,
  hours,
  type Instant,
  instant,
  inWords,
  later,
  milliseconds,
  minutes,
  NEVER,
  seconds,
} from './base/time.ts';
export { type Acquired, acquire, type Breaker, closedBreaker, stateAt } from './breaker/breaker.ts';

export { type BreakerPolicies, type BreakerPolicy, breakerFor } from './breaker/breaker-policy.ts';
export { type Report, report } from './breaker/breaker-report.ts';
export {
  type BootMemory,
  type ProcessSample,
  remember,
  UNSENT_MAX,
  whyNotRestart,
} from './chain/boot-memory.ts';
export {
  type BudgetLimits,
  budgetDefaults,
  fullBudget,
  type StartBudget,
  startAllowedAt,
} from './chain/budget.ts';
export {
  contextOf,
  type DaemonAct,
  type DaemonSays,
  type DaemonSettings,
  type DaemonSight,
  type DaemonState,
  type DaemonTick,
  daemonDefaults,
  daemonTick,
  linkOf,
  newDaemonState,
  noLink,
} from './chain/daemon-tick.ts';
export {
  type ChainHeartbeat,
  type ChainRun,
  type Freshness,
  type FreshnessLimits,
  freshnessDefaults,
  freshnessOf,
  type HeartbeatReading,
  unwatchedSilence,
} from './chain/freshness.ts';
export type { LifecycleAction, LifecycleRequest, Shutdown } from './chain/lifecycle.ts';
export {
  foldClaim,
  foldFailedStart,
  foldLook,
  foldReceipt,
  foldSilence,
  foldStart,
  foldStillness,
  isOrderedByPerson,
  type Link,
  type LinkContext,
  type LinkStep,
} from './chain/link.ts';
export {
  CHAIN_EXECUTOR,
  CHAIN_GROUP,
  type LinkName,
  type MemberLink,
  memberLink,
} from './chain/link-name.ts';
export {
  type EndOrder,
  type LinkLook,
  type LookGap,
  type Stillness,
  UNHEARD_LOOKS_MAX,
} from './chain/server-look.ts';
export {
  BOOT_CHECK_IN,
  BOOT_WAKE,
  type ChainProcess,
  type DeaconLook,
  type SessionState,
  type Triage,
  type TriageAction,
  triage,
  WAKES_MAX,
} from './chain/triage.ts';
export {
  type DetectionPolicy,
  defaultDetectionPolicy,
  hashCall,
  limitMeanings,
  namesProgress,
} from './detect/index.ts';
export { type Admitted, admit, emptyFleetGuard, type FleetGuard } from './fleet/guard.ts';
export { heldGuard } from './fleet/held.ts';
export { hasSeen } from './fold/admissible.ts';
export { ACKS_MAX } from './fold/messages.ts';
export { newestCallOf } from './fold/trail.ts';
export { escalationMessage } from './incident/escalate.ts';
export { type Failure, failureOf } from './incident/failure.ts';
export { whyNotDecide } from './incident/obstacle.ts';
export { type ExecutorState, readyInWords, readyOf } from './incident/ready.ts';
export { findingsOf } from './incident/reason.ts';
export { whyNotTerminate } from './incident/terminate.ts';
export { retell } from './judge/retell.ts';
export {
  breakerDefaults,
  fleetDefaults,
  healthMonitoringDefaults,
  profileAliases,
  profileDefaults,
  refusedWithoutStore,
  ruleDefaults,
} from './policy/defaults.ts';
export { isPingedRole } from './policy/pinged-roles.ts';
export type {
  BeatPolicy,
  Budget,
  BudgetScope,
  BudgetStep,
  FleetPolicy,
  Limits,
  Policy,
  PolicyStep,
  WatchMode,
} from './policy/policy.ts';
export type {
  Agent,
  End,
  EndedTask,
  Hard,
  Inferred,
  Mode,
  Patience,
  Probation,
  ProcessView,
  Promises,
  Quiet,
  QuietFinding,
  Recovery,
  Reporter,
  Soft,
  Task,
  TaskOutcome,
} from './record/agent.ts';
export { type DaySpending, type Money, withSpending } from './record/draft.ts';
export type { Incident, StepPhase } from './record/incident.ts';
export type {
  Applied,
  BreakerAct,
  ClaimEvidence,
  ClaimVerdict,
  Decision,
  DecisionWord,
  Input,
  InputBody,
} from './record/input.ts';
export {
  isSilenceJudged,
  type Liveness,
  type LossCause,
  likelyCause,
  livenessOf,
  missesAt,
  presenceOf,
  probeEveryOf,
  slackOf,
} from './record/liveness.ts';
export { openLives } from './record/lives.ts';
export { outlineOf } from './record/outline.ts';
export type { Spent, Sum } from './record/spent.ts';
export { openTask, openTasks, TASKS_MAX } from './record/tasks.ts';
export {
  downcast,
  RECORD_VERSION,
  RECORD_VERSION_MIN,
  type RecordKind,
  upcast,
} from './record/upcast.ts';
export { checkSignal, SIGNAL_KINDS, type SignalCheck, signalShape } from './signal/check.ts';
export { SIGNAL_MEANINGS } from './signal/meanings.ts';
export { checkTicket, type TicketCheck } from './ticket/check-ticket.ts';
export {
  EVIDENCE_STEPS_MAX,
  EVIDENCE_VERDICTS_MAX,
  type Evidence,
  type EvidenceStep,
  emptyEvidence,
  observeEvidence,
  observeVerdictOf,
} from './ticket/evidence.ts';
export { type HealthSummary, LAST_STEPS_DEFAULT, summarize } from './ticket/health-summary.ts';
export {
  type JudgeThresholds,
  type JudgeVerdict,
  judgeSummary,
  judgeThresholds,
  type LastCheck,
  lastCheckOf,
} from './ticket/mechanical-judge.ts';
export { triageByRules, triageTicket } from './ticket/triage.ts';
export { applyInput } from './transition/apply-input.ts';
export {
  type EnrollContext,
  type Enrollment,
  enroll,
  isOrderedStart,
  type Registration,
} from './transition/enroll.ts';
export { type Transition, type TransitionContext, transition } from './transition/transition.ts';
export {
  ALERT_TOPICS,
  type AlertAction,
  type AlertDecision,
  type AlertNotice,
  type AlertRoute,
  type AlertTopic,
  type Condition,
  type NoticeSeverity,
} from './vocabulary/alert.ts';
export type { Admission, Ask, AskKind } from './vocabulary/ask.ts';
export { AUTHORITY, type Source, UNPROVEN } from './vocabulary/authority.ts';
export { type Cancellation, cancellation } from './vocabulary/cancellation.ts';
export {
  type Checkpoint,
  type CheckpointChain,
  type Choice,
  checkpointHash,
  checkpointTextHash,
  chooseCheckpoint,
  type PickedCheckpoint,
  pickCheckpoint,
  type Sha256,
} from './vocabulary/checkpoint-chain.ts';
export type { Directive } from './vocabulary/directive.ts';
export type {
  Capability,
  Effect,
  EffectBody,
  EffectKind,
  Life,
  NoticeAudience,
  NoticeBody,
  ReceiptOutcome,
} from './vocabulary/effect.ts';
export { concernedBy, EFFECT_URGENCY, lifeOfFleet, stillWanted, wantedIdOf } from './vocabulary/effect.ts';
export type {
  BreakerState,
  EventBody,
  EventOf,
  EventType,
  HolterEvent,
  LivenessWord,
} from './vocabulary/event.ts';
export { EVENT_MEANINGS, EVENT_TYPES, type EventMeaning } from './vocabulary/event-meanings.ts';
export { executorInWords, PANE_EXECUTOR } from './vocabulary/executor.ts';
export {
  EVIDENCE_LENGTH_MAX,
  type EvidenceSource,
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  isFindingKind,
  type Severity,
} from './vocabulary/finding.ts';
export { graceShare } from './vocabulary/grace.ts';
export type { HealthState } from './vocabulary/health-state.ts';
export { HEALTH_RANK, TRANSITIONS } from './vocabulary/health-state.ts';
export { HOLD_KINDS, type Hold, type HoldKind, isSeen } from './vocabulary/hold.ts';
export type { LadderStep } from './vocabulary/ladder.ts';
export { ASKING_STEPS, LADDER } from './vocabulary/ladder.ts';
export type { DecisionRejection, SignalRejectionCode } from './vocabulary/rejection.ts';
export type {
  HeartbeatBody,
  MessagePriority,
  ProcessState,
  SelfStatus,
  Signal,
  SignalBody,
  SignalEnvelope,
  SignalKind,
  Verdict,
} from './vocabulary/signal.ts';
export { SENSED_ONLY } from './vocabulary/signal.ts';
export {
  dayOf,
  emptyMeter,
  METER_KEYS,
  type Meter,
  MICROS_PER_USD,
  type ModelPrice,
  type ModelUse,
  type PriceTable,
  priceOf,
  type Spending,
  TOKEN_KINDS,
  type TokenKinds,
} from './vocabulary/spending.ts';
export { isStall, NO_STALLS, type Stall, type StallLog, withStall } from './vocabulary/stall.ts';
export {
  type EscalationTicket,
  SNIPPET_LENGTH_MAX,
  TICKET_CONDITIONS,
  TICKET_SEVERITIES,
  type TicketAct,
  type TicketAnswer,
  type TicketCondition,
  type TicketNote,
  type TicketSeverity,
  type TicketStatus,
  type TicketTriage,
} from './vocabulary/ticket.ts';
