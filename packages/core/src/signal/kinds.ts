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
import { MODEL_USES_MAX, type ModelUse } from '../vocabulary/spending.ts';
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
  kind: needed(findingKind, 'Which rule or detector reports it.'),
  severity: needed(field.oneOf<Severity>(['warn', 'act']), '`warn` or `act`.'),
  source: needed(
    field.oneOf<EvidenceSource>(['agent-reports', 'operating-system', 'screen', 'delivery-receipts']),
    'Where the evidence comes from.',
  ),
  since: needed(field.time, 'When the condition began.'),
  evidence: needed(evidence, 'What was seen, in one sentence.'),
  threshold: needed(evidence, 'The limit that was crossed.'),
  count: maybe(field.count, 'How often it has repeated.'),
};

const finding = field.reader<Finding>(shapeOf(findingFields), (value, name) =>
  readFields<Finding>(findingFields, value, {}, `${name}.`, []),
);

const modelUseFields: FieldsOf<ModelUse> = {
  model: needed(field.name, 'The name of the model, as its vendor writes it.'),
  input: maybe(field.count, 'Tokens read since its start, not from the cache and not into it.'),
  output: maybe(field.count, 'Tokens written.'),
  cacheRead: maybe(field.count, 'Tokens read from the cache.'),
  cacheWrite: maybe(field.count, 'Tokens written into the cache.'),
  cacheWriteHour: maybe(field.count, 'Tokens written into the cache for an hour.'),
  costUsd: maybe(field.amount, 'Dollars; then no price is looked up.'),
};

const modelUses = field.listOf<ModelUse>(
  field.reader<ModelUse>(shapeOf(modelUseFields), (value, name) =>
    readFields<ModelUse>(modelUseFields, value, {}, `${name}.`, []),
  ),
  MODEL_USES_MAX,
);

export const ENVELOPE_FIELDS: FieldsOf<SignalEnvelope> = {
  agentId: needed(agentId, 'The agent that it is about.'),
  incarnation: maybe(field.incarnation, 'The start of the agent that it is about.'),
  id: maybe(field.id, 'The same fact has the same id on every path; a second one is ignored.'),
  channel: maybe(field.key, 'An ordered source, such as a transcript.'),
  seq: maybe(field.count, 'The position in the channel; what is not newer is ignored.'),
};

export const KIND_FIELDS: Kinds = {
  heartbeat: {
    taskId: maybe(field.id, 'The task that it works on.'),
    timestamp: maybe(field.time, 'When it was sent, by the clock of the sender.'),
    phase: maybe(field.label, 'What it is doing.'),
    lastToolCall: maybe(field.time, 'When it last called a tool.'),
    tokenCount: maybe(field.count, 'Tokens since its start.'),
    errorCount: maybe(field.count, 'Errors since its start; a total that has risen is a failure.'),
    progressIndicator: maybe(field.text, 'How far it is, in its own words.'),
    status: maybe(selfStatus, 'Its state, as the agent reports it.'),
  },
  pong: {
    status: maybe(selfStatus, 'Its state, as the agent reports it.'),
    phase: maybe(field.label, 'What it is doing.'),
  },
  activity: {},
  status: { status: needed(selfStatus, 'Its state, as the agent reports it.') },
  'turn-begun': {},
  'turn-ended': {},
  'call-begun': {
    callId: needed(field.id, 'The call; the end has the same.'),
    tool: needed(field.name, 'The name of the tool.'),
    input: maybe(field.json, 'The arguments, as JSON.'),
  },
  'call-ended': {
    callId: needed(field.id, 'The call; the begin had the same.'),
    tool: needed(field.name, 'The name of the tool.'),
    input: maybe(field.json, 'The arguments, as JSON.'),
    output: maybe(field.text, 'What it returned.'),
    isError: needed(field.flag, 'Whether it failed.'),
    text: maybe(field.text, 'What the agent said with the call.'),
  },
  said: {
    role: needed(field.oneOf<'assistant' | 'user' | 'system'>(['assistant', 'user', 'system']), 'Who spoke.'),
    text: needed(field.text, 'The words.'),
  },
  compaction: {},
  tokens: {
    total: needed(field.count, 'Tokens since its start.'),
    costUsd: maybe(field.amount, 'Dollars since its start.'),
    contextUse: maybe(field.share, 'Share of the context in use, 0 to 1.'),
    models: maybe(modelUses, 'The same total, by model.'),
  },
  checkpoint: {
    checkpointId: needed(field.id, 'The checkpoint.'),
    parentId: maybe(field.id, 'The one before it.'),
    hash: needed(field.id, 'Of its content.'),
  },
  'task-assigned': {
    taskId: needed(field.id, 'The task.'),
    expectedAt: maybe(field.time, 'When it should be done.'),
    description: maybe(field.label, 'What is to be done.'),
  },
  'task-updated': {
    taskId: needed(field.id, 'The task.'),
    percent: maybe(field.percent, 'How much is done.'),
    note: maybe(field.text, 'What is new.'),
    cannotContinue: maybe(field.flag, "The agent can't go on with it."),
  },
  'task-ended': {
    taskId: needed(field.id, 'The task.'),
    outcome: needed(
      field.oneOf<'done' | 'failed' | 'cancelled'>(['done', 'failed', 'cancelled']),
      'How it ended.',
    ),
  },
  'job-ended': {
    outcome: needed(field.oneOf<JobOutcome>(['done', 'failed']), 'How the run ended.'),
    code: maybe(field.count, 'Its exit code.'),
    output: maybe(field.text, 'The beginning of what it printed.'),
  },
  verdict: {
    verdict: needed(
      field.oneOf<Verdict>(['ACCEPT', 'RETRY', 'ESCALATE', 'CONTINUE', 'COMPACTION']),
      'The judgement of one step.',
    ),
  },
  'message-delivered': {
    messageId: needed(field.id, 'The message.'),
    priority: needed(
      field.oneOf<MessagePriority>(['urgent', 'high', 'normal', 'low']),
      'Decides how soon it has to be acknowledged.',
    ),
  },
  'message-acknowledged': { messageId: needed(field.id, 'The message.') },
  'message-failed': { messageId: needed(field.id, 'The message.'), code: needed(field.name, 'Why.') },
  connection: {
    state: needed(field.oneOf<'open' | 'closed'>(['open', 'closed']), 'Whether it is connected.'),
  },
  process: {
    state: needed(
      field.oneOf<ProcessState>(['running', 'stopped', 'uninterruptible', 'gone']),
      'What the operating system says.',
    ),
    cpuMs: needed(field.amount, 'CPU time of the process tree since its start.'),
    ioBytes: needed(field.amount, 'Bytes read and written since its start.'),
    childrenAtWork: needed(field.count, 'Children that use CPU or I/O.'),
    memoryBytes: needed(field.amount, 'Memory of the process tree.'),
    isPlaceGone: maybe(
      field.flag,
      'With `gone`: where it ran has gone too, and nothing can start it again there.',
    ),
  },
  'hold-begun': {
    hold: needed(hold, 'What it waits for.'),
    until: maybe(field.time, 'The end of it, if it is known.'),
  },
  'hold-ended': { hold: needed(hold, 'What it waited for.') },
  error: {
    message: needed(field.text, 'What went wrong.'),
    isUnrecoverable: maybe(field.flag, "The agent can't go on."),
  },
  blocker: { text: needed(field.text, 'What keeps it from going on.') },
  'handoff-requested': { reason: needed(field.text, 'Why.') },
  'handoff-written': { noteId: needed(field.id, 'The note.') },
  started: {},
  stopped: { reason: needed(field.text, 'Why.') },
  exited: {
    code: needed(field.exitCode, 'The exit code; null after a signal.'),
    signal: maybe(field.name, 'The signal that ended it.'),
  },
  finding: { finding: needed(finding, 'The finding.') },
  'finding-cleared': { findingKind: needed(findingKind, 'The kind of finding that does not hold any more.') },
};
