/** The rules of Holter. Pure: no I/O, no clock, no randomness, no dependency. Start at `turn`. */
export type {
  Agent,
  End,
  Hard,
  Mode,
  Probation,
  ProcessView,
  Promises,
  Quiet,
  QuietFinding,
  Recovery,
  Soft,
  Task,
} from './agent.ts';
export { type Acquired, acquire, type Breaker, closedBreaker, stateAt } from './breaker/breaker.ts';
export type { BreakerPolicy } from './breaker/breaker-policy.ts';
export { type Report, report } from './breaker/breaker-report.ts';
export { type Canonical, canonicalJson } from './canonical.ts';
export {
  type Checkpoint,
  type CheckpointChain,
  type Choice,
  checkpointHash,
  chooseCheckpoint,
  type PickedCheckpoint,
  pickCheckpoint,
  type Sha256,
} from './checkpoint-chain.ts';
export type {
  Capability,
  Effect,
  EffectBody,
  EffectKind,
  NoticeAudience,
  NoticeSeverity,
  ReceiptOutcome,
} from './effect.ts';
export { type EnrolContext, type Enrolment, enroll, type Registration } from './enroll.ts';
export type { BreakerState, EventBody, EventOf, EventType, HolterEvent, LivenessWord } from './event.ts';
export {
  EVIDENCE_LENGTH_MAX,
  type EvidenceSource,
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  isFindingKind,
  type Severity,
} from './finding.ts';
export {
  type Admission,
  type Admitted,
  type Ask,
  type AskKind,
  admit,
  emptyFleet,
  type Fleet,
} from './fleet.ts';
export { graceShare } from './grace.ts';
export { hashText } from './hash.ts';
export { HEALTH_RANK, type HealthState, TRANSITIONS } from './health.ts';
export { HOLD_KINDS, type Hold, type HoldKind } from './hold.ts';
export { isAgentId } from './identifier.ts';
export { type Incident, LADDER, type LadderStep, type StepPhase } from './incident/incident.ts';
export type {
  BreakerAct,
  ClaimEvidence,
  ClaimVerdict,
  Decision,
  DecisionWord,
  Input,
  InputBody,
  Step,
} from './input.ts';
export { assertNever, InvariantError, invariant } from './invariant.ts';
export { findingsOf } from './judge.ts';
export {
  type Liveness,
  type LossCause,
  likelyCause,
  livenessOf,
  presenceOf,
  probeEveryOf,
} from './liveness.ts';
export type { PolicyProblem } from './policy/check.ts';
export { type Compiled, compile, defaultPolicies } from './policy/compile.ts';
export type { HolterConfig } from './policy/config.ts';
export { refusedWithoutStore } from './policy/defaults.ts';
export type { FleetPolicy, Policy } from './policy/policy.ts';
export {
  breakerFor,
  crossings,
  type Explanation,
  explain,
  type PolicySet,
  policyFor,
} from './policy/policy-set.ts';
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
} from './signal.ts';
export { SENSED_ONLY } from './signal.ts';
export { checkSignal, type SignalCheck } from './signal-check.ts';
export { isStall, NO_STALLS, type Stall, type StallLog, withStall } from './stall.ts';
export { step } from './step.ts';
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
} from './time.ts';
export { type Turn, type TurnContext, turn } from './turn.ts';
