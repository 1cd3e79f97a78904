import { AGENT_ID_PATTERN, isAgentId } from '../base/identifier.ts';
import {
  EVIDENCE_LENGTH_MAX,
  type EvidenceSource,
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  isFindingKind,
  type Severity,
} from '../vocabulary/finding.ts';
import { HOLD_KINDS } from '../vocabulary/hold.ts';
import type {
  JobOutcome,
  MessagePriority,
  ProcessState,
  SelfStatus,
  SignalBody,
  SignalEnvelope,
  SignalKind,
  Verdict,
} from '../vocabulary/signal.ts';
import * as field from './field.ts';
import { badSignal } from './field.ts';
import { type FieldsOf, maybe, needed, readFields, shapeOf } from './record.ts';

/** The fields of each kind of signal. The compiler requires an entry for every kind. */
type Kinds = {
  readonly [K in SignalKind]: FieldsOf<Omit<Extract<SignalBody, { readonly kind: K }>, 'kind'>>;
};

const selfStatus = field.oneOf<SelfStatus>(['healthy', 'busy', 'degraded']);
const hold = field.oneOf(HOLD_KINDS);

const agentIdShape = { type: 'string', pattern: AGENT_ID_PATTERN.source };
const agentId = field.reader<string>(agentIdShape, (value, name) =>
  typeof value === 'string' && isAgentId(value)
    ? { kind: 'field', value }
    : badSignal('wrong_type', `${name} must have 1 to 128 of A-Z a-z 0-9 . _ @ : -`, name),
);

const findingKind = field.reader<FindingKind>({ enum: Object.keys(FINDING_KINDS) }, (value, name) =>
  typeof value === 'string' && isFindingKind(value)
    ? { kind: 'field', value }
    : badSignal('wrong_type', `${name} must be a known kind of finding`, name),
);

const evidence = field.reader<string>({ type: 'string', maxLength: EVIDENCE_LENGTH_MAX }, (value, name) => {
  const reading = field.text(value, name);
  const isTooLong = reading.kind === 'field' && reading.value.length > EVIDENCE_LENGTH_MAX;
  return isTooLong
    ? badSignal('too_long', `${name} must have at most ${EVIDENCE_LENGTH_MAX} characters`, name)
    : reading;
});

const findingFields: FieldsOf<Finding> = {
  kind: needed(findingKind),
  severity: needed(field.oneOf<Severity>(['warn', 'act'])),
  source: needed(
    field.oneOf<EvidenceSource>(['agent-reports', 'operating-system', 'screen', 'delivery-receipts']),
  ),
  since: needed(field.time),
  evidence: needed(evidence),
  threshold: needed(evidence),
  count: maybe(field.count),
};

const finding = field.reader<Finding>(shapeOf(findingFields), (value, name) =>
  readFields<Finding>(findingFields, value, {}, `${name}.`, []),
);

export const ENVELOPE_FIELDS: FieldsOf<SignalEnvelope> = {
  agentId: needed(agentId),
  incarnation: maybe(field.incarnation),
  id: maybe(field.id),
  channel: maybe(field.key),
  seq: maybe(field.count),
};

export const KIND_FIELDS: Kinds = {
  heartbeat: {
    taskId: maybe(field.id),
    timestamp: maybe(field.time),
    phase: maybe(field.label),
    lastToolCall: maybe(field.time),
    tokenCount: maybe(field.count),
    errorCount: maybe(field.count),
    progressIndicator: maybe(field.text),
    status: maybe(selfStatus),
  },
  pong: { status: maybe(selfStatus) },
  activity: {},
  status: { status: needed(selfStatus) },
  'turn-begun': {},
  'turn-ended': {},
  'call-begun': { callId: needed(field.id), tool: needed(field.name), input: maybe(field.json) },
  'call-ended': {
    callId: needed(field.id),
    tool: needed(field.name),
    input: maybe(field.json),
    output: maybe(field.text),
    isError: needed(field.flag),
    text: maybe(field.text),
  },
  said: {
    role: needed(field.oneOf<'assistant' | 'user' | 'system'>(['assistant', 'user', 'system'])),
    text: needed(field.text),
  },
  compaction: {},
  tokens: { total: needed(field.count), costUsd: maybe(field.amount), contextUse: maybe(field.share) },
  checkpoint: { checkpointId: needed(field.id), parentId: maybe(field.id), hash: needed(field.id) },
  'task-assigned': { taskId: needed(field.id), expectedAt: maybe(field.time) },
  'task-updated': { taskId: needed(field.id), percent: maybe(field.percent), note: maybe(field.text) },
  'task-ended': {
    taskId: needed(field.id),
    outcome: needed(field.oneOf<'done' | 'failed' | 'cancelled'>(['done', 'failed', 'cancelled'])),
  },
  'job-ended': {
    outcome: needed(field.oneOf<JobOutcome>(['done', 'failed'])),
    code: maybe(field.count),
    output: maybe(field.text),
  },
  verdict: {
    verdict: needed(field.oneOf<Verdict>(['ACCEPT', 'RETRY', 'ESCALATE', 'CONTINUE', 'COMPACTION'])),
  },
  'message-delivered': {
    messageId: needed(field.id),
    priority: needed(field.oneOf<MessagePriority>(['urgent', 'high', 'normal', 'low'])),
  },
  'message-acknowledged': { messageId: needed(field.id) },
  'message-failed': { messageId: needed(field.id), code: needed(field.name) },
  connection: { state: needed(field.oneOf<'open' | 'closed'>(['open', 'closed'])) },
  process: {
    state: needed(field.oneOf<ProcessState>(['running', 'stopped', 'uninterruptible', 'gone'])),
    cpuMs: needed(field.amount),
    ioBytes: needed(field.amount),
    childrenAtWork: needed(field.count),
    memoryBytes: needed(field.amount),
  },
  'hold-begun': { hold: needed(hold), until: maybe(field.time) },
  'hold-ended': { hold: needed(hold) },
  error: { message: needed(field.text), isUnrecoverable: maybe(field.flag) },
  blocker: { text: needed(field.text) },
  'handoff-requested': { reason: needed(field.text) },
  'handoff-written': { noteId: needed(field.id) },
  started: {},
  stopped: { reason: needed(field.text) },
  exited: { code: needed(field.exitCode), signal: maybe(field.name) },
  finding: { finding: needed(finding) },
  'finding-cleared': { findingKind: needed(findingKind) },
};
