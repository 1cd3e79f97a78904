import fc from 'fast-check';
import { instant, milliseconds, minutes, seconds } from '../src/base/time.ts';
import type { Promises } from '../src/record/agent.ts';
import type { BreakerAct, Decision } from '../src/record/input.ts';
import type { Registration } from '../src/transition/enroll.ts';
import type { PickedCheckpoint } from '../src/vocabulary/checkpoint-chain.ts';
import { FINDING_KINDS, type FindingKind } from '../src/vocabulary/finding.ts';
import { HOLD_KINDS } from '../src/vocabulary/hold.ts';
import type { SignalBody } from '../src/vocabulary/signal.ts';

/** Anything that may happen to one agent, in any order: caused by the agent, a detector, an operator or a clock. */
export type Happening =
  | { readonly kind: 'signal'; readonly body: SignalBody; readonly id?: string; readonly seq?: number }
  | { readonly kind: 'stale'; readonly body: SignalBody }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'wake' }
  | { readonly kind: 'back'; readonly ms: number }
  | { readonly kind: 'stall'; readonly ms: number }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | {
      readonly kind: 'receipt';
      readonly pick: number;
      readonly outcome: 'delivered' | 'seen' | 'done' | 'refused' | 'unknown';
    }
  | { readonly kind: 'claim'; readonly pick: number; readonly isTaskOpen?: boolean }
  | { readonly kind: 'breaker'; readonly name: string; readonly act: BreakerAct; readonly roll: number }
  | { readonly kind: 'register'; readonly isOrdered: boolean; readonly instanceId: string };

const promises: fc.Arbitrary<Promises> = fc
  .record(
    {
      beatEveryMs: fc.constantFrom(seconds(2), seconds(60), seconds(300)),
      pongs: fc.constant(true as const),
      calls: fc.record({ modelTimeoutMs: fc.constantFrom(milliseconds(0), seconds(60)) }),
      turns: fc.constant(true as const),
      tasks: fc.constant(true as const),
      checkpoints: fc.constant(true as const),
      verdicts: fc.constant(true as const),
      process: fc.constant(true as const),
      job: fc.constant({ everyMs: seconds(300), graceMs: seconds(60) }),
    },
    { requiredKeys: [] },
  )
  .map((record) => record as Promises);

export const registration: fc.Arbitrary<Partial<Registration>> = fc.record({
  role: fc.constantFrom('active-development', 'critical-infrastructure', 'default', 'in-process'),
  mode: fc.constantFrom('observe', 'nudge', 'act', 'act', 'act'),
  promises,
  can: fc.subarray(['nudge', 'terminate', 'spawn', 'deny-call'] as const),
});

/** Policies that differ in what affects the ladder. */
export const rawPolicy: fc.Arbitrary<unknown> = fc.record(
  {
    rules: fc.record(
      {
        unattended: fc.boolean(),
        freeze_step: fc.constantFrom('escalate', 'terminate'),
        unrecoverable_step: fc.constantFrom('escalate', 'terminate'),
      },
      { requiredKeys: [] },
    ),
    limits: fc.record(
      { tokens_max: fc.constant(500), step: fc.constantFrom('escalate', 'terminate') },
      { requiredKeys: [] },
    ),
    fleet: fc.constantFrom(
      {},
      { budgets: { nudge: { per_minute: 1, burst: 1 } } },
      { brake: { losses_min: 1 } },
    ),
    health_monitoring: fc.constantFrom(
      {},
      { recovery: { max_attempts_per_hour: 1 } },
      { intervention: { nudge: { enabled: false } } },
    ),
  },
  { requiredKeys: [] },
);

const text = fc.string({ maxLength: 12 });
const id = fc.constantFrom('a', 'b', 'c', 'd');
const kinds = Object.keys(FINDING_KINDS) as FindingKind[];
/** Some kinds are more frequent, so that decisions about a kind meet findings of it. */
const findingKind = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<FindingKind>('repeated-call', 'same-error') },
  { weight: 1, arbitrary: fc.constantFrom(...kinds) },
);
const status = fc.constantFrom('healthy', 'busy', 'degraded');

const agentSays: fc.Arbitrary<SignalBody> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('heartbeat' as const),
      phase: id,
      tokenCount: fc.nat(1000),
      errorCount: fc.nat(6),
      status,
    },
    { requiredKeys: ['kind'] },
  ),
  fc.constantFrom<SignalBody>(
    { kind: 'heartbeat' },
    { kind: 'pong' },
    { kind: 'activity' },
    { kind: 'turn-begun' },
    { kind: 'turn-ended' },
    { kind: 'compaction' },
    { kind: 'started' },
    { kind: 'stopped', reason: 'done' },
    { kind: 'error', message: 'no', isUnrecoverable: true },
    { kind: 'error', message: 'no' },
    { kind: 'handoff-written', noteId: 'n1' },
    { kind: 'handoff-requested', reason: 'tired' },
    { kind: 'exited', code: 1 },
  ),
  fc.record({ kind: fc.constant('call-begun' as const), callId: id, tool: id }),
  fc.record({
    kind: fc.constant('call-ended' as const),
    callId: id,
    tool: id,
    input: fc.record({ path: id }),
    output: text,
    isError: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('said' as const), role: fc.constant('assistant' as const), text }),
  fc.record({
    kind: fc.constant('tokens' as const),
    total: fc.nat(1000),
    costUsd: fc.nat(10),
    contextUse: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('checkpoint' as const), checkpointId: id, hash: id }),
  fc.record({
    kind: fc.constant('task-assigned' as const),
    taskId: id,
    expectedAt: fc.nat(10_000_000).map(instant),
  }),
  fc.record({ kind: fc.constant('task-updated' as const), taskId: id, percent: fc.nat(100) }),
  fc.record({ kind: fc.constant('task-ended' as const), taskId: id, outcome: fc.constant('done' as const) }),
  fc.record({
    kind: fc.constant('verdict' as const),
    verdict: fc.constantFrom('ACCEPT', 'RETRY', 'ESCALATE', 'CONTINUE', 'COMPACTION'),
  }),
  fc.record({
    kind: fc.constant('job-ended' as const),
    outcome: fc.constantFrom('done', 'failed'),
    output: text,
  }),
  fc.record({ kind: fc.constant('message-acknowledged' as const), messageId: id }),
  fc.record({ kind: fc.constant('blocker' as const), text }),
  fc.record(
    {
      kind: fc.constant('hold-begun' as const),
      hold: fc.constantFrom(...HOLD_KINDS),
      until: fc.nat(20_000_000).map(instant),
    },
    { requiredKeys: ['kind', 'hold'] },
  ),
  fc.record({ kind: fc.constant('hold-ended' as const), hold: fc.constantFrom(...HOLD_KINDS) }),
);

const holterSenses: fc.Arbitrary<SignalBody> = fc.oneof(
  fc.record({
    kind: fc.constant('process' as const),
    state: fc.constantFrom('running', 'running', 'running', 'stopped', 'uninterruptible', 'gone'),
    cpuMs: fc.constantFrom(100, 100, 9_000),
    ioBytes: fc.constantFrom(100, 100, 9_000),
    childrenAtWork: fc.constantFrom(0, 0, 1),
    memoryBytes: fc.nat(1000),
  }),
  fc.constantFrom<SignalBody>(
    { kind: 'exited', code: 0 },
    { kind: 'exited', code: 1 },
    { kind: 'exited', code: null, signal: 'SIGKILL' },
    { kind: 'connection', state: 'closed' },
    { kind: 'connection', state: 'open' },
    { kind: 'message-failed', messageId: 'a', code: 'agent_offline' },
  ),
  fc.record({
    kind: fc.constant('message-delivered' as const),
    messageId: id,
    priority: fc.constantFrom('urgent', 'high', 'normal', 'low'),
  }),
  fc.record({
    kind: fc.constant('finding' as const),
    finding: fc.record({
      kind: findingKind,
      severity: fc.constantFrom('warn', 'act'),
      source: fc.constantFrom('agent-reports', 'operating-system', 'screen', 'delivery-receipts'),
      since: fc.constant(instant(1_000)),
      evidence: fc.constant('seen'),
      threshold: fc.constant('any'),
      count: fc.nat(40),
    }),
  }),
  fc.record({ kind: fc.constant('finding-cleared' as const), findingKind }),
);

/** Holter's senses may send any signal; the ones reserved for them must be refused from an agent. */
export const SENSES: ReadonlySet<string> = new Set([
  'process',
  'connection',
  'message-failed',
  'message-delivered',
  'finding',
  'finding-cleared',
]);

const decision: fc.Arbitrary<Decision> = fc.record(
  {
    decision: fc.constantFrom(
      'allow_more_time',
      'wake',
      'acknowledge',
      'force_handoff',
      'replace',
      'terminate_and_recover',
      'terminate',
      'recover',
      'nudge',
      'pause',
      'resume',
      'dismiss',
    ),
    by: fc.constant('olga'),
    reason: fc.constant('because'),
    forMs: fc.constantFrom(minutes(1), minutes(20)),
    finding: findingKind,
    from: fc.constantFrom<PickedCheckpoint>({ id: 'a', hash: 'a' }, { id: 'b', hash: '', flaw: 'missing' }),
  },
  { requiredKeys: ['decision', 'by', 'reason', 'forMs'] },
) as fc.Arbitrary<Decision>;

const breakerAct: fc.Arbitrary<BreakerAct> = fc.oneof(
  fc.constant({ kind: 'acquire' as const }),
  fc.record({
    kind: fc.constant('report' as const),
    report: fc.record({
      generation: fc.nat(2),
      permitId: fc.nat(2),
      outcome: fc.constantFrom('success', 'failure', 'failure'),
    }),
  }),
  fc.constantFrom(
    { kind: 'isolate' as const, by: 'olga', reason: 'because', forMs: minutes(5) },
    { kind: 'reset' as const, by: 'olga', reason: 'because' },
  ),
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('signal' as const), body: agentSays }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { kind: fc.constant('signal' as const), body: agentSays, id, seq: fc.nat(9) },
      { requiredKeys: ['kind', 'body', 'id'] },
    ),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('signal' as const), body: holterSenses }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('stale' as const), body: fc.oneof(agentSays, holterSenses) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(500, 5_000, 60_000, 301_000, 901_000, 1_801_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wake' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), ms: fc.nat(100_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('stall' as const),
      ms: fc.constantFrom(2_100, 60_000, 10_800_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('decision' as const), decision }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('receipt' as const),
      pick: fc.nat(3),
      outcome: fc.constantFrom('delivered', 'seen', 'done', 'refused', 'unknown'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { kind: fc.constant('claim' as const), pick: fc.nat(3), isTaskOpen: fc.boolean() },
      { requiredKeys: ['kind', 'pick'] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('breaker' as const),
      name: fc.constantFrom('tool_execution', 'recovery_attempt', 'own'),
      act: breakerAct,
      roll: fc.constantFrom(0, 0.5, 0.999),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('register' as const), isOrdered: fc.boolean(), instanceId: id }),
  },
);

export const happenings = fc.array(happening, { minLength: 1, maxLength: 60, size: 'max' });
