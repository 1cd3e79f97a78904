import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import type { Signal, SignalKind } from '../vocabulary/signal.ts';
import { checkSignal } from './check.ts';

const agentId = 'ada@host:1';
const finding = {
  kind: 'repeated-call',
  severity: 'act',
  source: 'agent-reports',
  since: instant(5),
  evidence: 'the same call 5 times',
  threshold: '5 identical calls',
  count: 5,
} as const;

/** One full sample of every kind; the type requires one for each kind. */
const samples: { readonly [K in SignalKind]: Extract<Signal, { readonly kind: K }> } = {
  heartbeat: {
    agentId,
    kind: 'heartbeat',
    taskId: 't1',
    timestamp: 1_000,
    phase: 'build',
    lastToolCall: 900,
    tokenCount: 12,
    errorCount: 0,
    progressIndicator: '3 of 7',
    status: 'busy',
  },
  pong: { agentId, kind: 'pong', status: 'healthy' },
  activity: { agentId, kind: 'activity', incarnation: 3, id: 'x1', channel: 'transcript', seq: 7 },
  status: { agentId, kind: 'status', status: 'degraded' },
  'turn-begun': { agentId, kind: 'turn-begun' },
  'turn-ended': { agentId, kind: 'turn-ended' },
  'call-begun': {
    agentId,
    kind: 'call-begun',
    callId: 'toolu_1',
    tool: 'Bash',
    input: { command: 'ls', constructor: 1 },
  },
  'call-ended': {
    agentId,
    kind: 'call-ended',
    callId: 'toolu_1',
    tool: 'Bash',
    input: null,
    output: '',
    isError: false,
    text: 'let me look',
  },
  said: { agentId, kind: 'said', role: 'assistant', text: 'done\n' },
  compaction: { agentId, kind: 'compaction' },
  tokens: { agentId, kind: 'tokens', total: 10, costUsd: 0.25, contextUse: 0.5 },
  checkpoint: { agentId, kind: 'checkpoint', checkpointId: 'c2', parentId: 'c1', hash: 'ab12' },
  'task-assigned': { agentId, kind: 'task-assigned', taskId: 't1', expectedAt: instant(9) },
  'task-updated': { agentId, kind: 'task-updated', taskId: 't1', percent: 40, note: 'on it' },
  'task-ended': { agentId, kind: 'task-ended', taskId: 't1', outcome: 'done' },
  'job-ended': { agentId, kind: 'job-ended', outcome: 'failed', code: 3, output: 'disk full' },
  verdict: { agentId, kind: 'verdict', verdict: 'RETRY' },
  'message-delivered': { agentId, kind: 'message-delivered', messageId: 'm1', priority: 'urgent' },
  'message-acknowledged': { agentId, kind: 'message-acknowledged', messageId: 'm1' },
  'message-failed': { agentId, kind: 'message-failed', messageId: 'm1', code: 'ECONNREFUSED' },
  connection: { agentId, kind: 'connection', state: 'closed' },
  process: {
    agentId,
    kind: 'process',
    state: 'running',
    cpuMs: 1.5,
    ioBytes: 2,
    childrenAtWork: 1,
    memoryBytes: 3,
  },
  'hold-begun': { agentId, kind: 'hold-begun', hold: 'rate-limited', until: instant(99) },
  'hold-ended': { agentId, kind: 'hold-ended', hold: 'rate-limited' },
  error: { agentId, kind: 'error', message: 'boom', isUnrecoverable: true },
  blocker: { agentId, kind: 'blocker', text: 'no access' },
  'handoff-requested': { agentId, kind: 'handoff-requested', reason: 'context is full' },
  'handoff-written': { agentId, kind: 'handoff-written', noteId: 'n1' },
  started: { agentId, kind: 'started' },
  stopped: { agentId, kind: 'stopped', reason: 'done for today' },
  exited: { agentId, kind: 'exited', code: null, signal: 'SIGKILL' },
  finding: { agentId, kind: 'finding', finding },
  'finding-cleared': { agentId, kind: 'finding-cleared', findingKind: 'repeated-call' },
};

const nested = (depth: number): unknown => (depth === 0 ? 1 : { below: nested(depth - 1) });
const beat = { agentId, kind: 'heartbeat' };
const call = { agentId, kind: 'call-ended', callId: 'c', tool: 'Bash', isError: false };

describe('a good signal', () => {
  test.each(Object.entries(samples))('%s passes unchanged', (_, signal) => {
    expect(checkSignal(JSON.parse(JSON.stringify(signal)))).toEqual({ kind: 'signal', signal });
  });

  test.each(Object.keys(FINDING_KINDS))('a finding of the kind %s passes', (kind) => {
    expect(checkSignal({ agentId, kind: 'finding', finding: { ...finding, kind } }).kind).toBe('signal');
  });

  test("a heartbeat may use seed 000's names and ISO timestamps", () => {
    const raw = {
      agent_id: 'ada',
      kind: 'heartbeat',
      task_id: 't1',
      timestamp: '2026-01-24T10:00:00Z',
      phase: 'build',
      last_tool_call: '2026-01-24T11:59:59.500+02:00',
      token_count: 10,
      error_count: 0,
      progress_indicator: 'half',
    };
    expect(checkSignal(raw)).toEqual({
      kind: 'signal',
      signal: {
        agentId: 'ada',
        kind: 'heartbeat',
        taskId: 't1',
        timestamp: Date.parse('2026-01-24T10:00:00Z'),
        phase: 'build',
        lastToolCall: Date.parse('2026-01-24T09:59:59.500Z'),
        tokenCount: 10,
        errorCount: 0,
        progressIndicator: 'half',
      },
    });
  });

  test('an optional field may be null or undefined', () => {
    expect(checkSignal({ ...beat, taskId: null, phase: undefined })).toEqual({
      kind: 'signal',
      signal: beat,
    });
  });

  test('accepts texts of the maximum length and inputs of the maximum depth', () => {
    expect(checkSignal({ ...call, output: 'x'.repeat(65_536) }).kind).toBe('signal');
    expect(checkSignal({ ...call, input: nested(32) }).kind).toBe('signal');
  });
});

describe('a bad signal', () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;

  test.each<[string, unknown, string, string?]>([
    ['nothing', undefined, 'not_an_object'],
    ['null', null, 'not_an_object'],
    ['a text', 'heartbeat', 'not_an_object'],
    ['a number', 7, 'not_an_object'],
    ['a list', [beat], 'not_an_object'],
    ['no kind', { agentId }, 'unknown_kind', 'kind'],
    ['an unknown kind', { agentId, kind: 'hartbeat' }, 'unknown_kind', 'kind'],
    ['a kind of the prototype', { agentId, kind: 'constructor' }, 'unknown_kind', 'kind'],
    ['a kind that is no text', { agentId, kind: ['heartbeat'] }, 'unknown_kind', 'kind'],
    ['an inherited kind', Object.create({ kind: 'started', agentId }), 'unknown_kind', 'kind'],
    ['no agent', { kind: 'started' }, 'missing_field', 'agentId'],
    ['an empty agent id', { ...beat, agentId: '' }, 'wrong_type', 'agentId'],
    ['an agent id with a space', { ...beat, agentId: 'a b' }, 'wrong_type', 'agentId'],
    ['an agent id with a newline', { ...beat, agentId: 'ada\n' }, 'wrong_type', 'agentId'],
    ['an agent id with a slash', { ...beat, agentId: '../ada' }, 'wrong_type', 'agentId'],
    ['an agent id that is too long', { ...beat, agentId: 'a'.repeat(129) }, 'wrong_type', 'agentId'],
    ['an agent id that is a number', { ...beat, agentId: 5 }, 'wrong_type', 'agentId'],
    ['an agent id of the prototype', { ...beat, agentId: '__proto__' }, 'wrong_type', 'agentId'],
    ['an agent id that is null', { ...beat, agentId: null }, 'wrong_type', 'agentId'],
    ['incarnation 0', { ...beat, incarnation: 0 }, 'out_of_range', 'incarnation'],
    ['incarnation 1.5', { ...beat, incarnation: 1.5 }, 'out_of_range', 'incarnation'],
    ['an incarnation beyond exactness', { ...beat, incarnation: 2 ** 53 }, 'out_of_range', 'incarnation'],
    ['an incarnation as text', { ...beat, incarnation: '1' }, 'wrong_type', 'incarnation'],
    ['an empty id', { ...beat, id: '' }, 'out_of_range', 'id'],
    ['an id that is too long', { ...beat, id: 'x'.repeat(257) }, 'too_long', 'id'],
    ['an id with an escape', { ...beat, id: '\u001b[2J' }, 'out_of_range', 'id'],
    ['a channel of the prototype', { ...beat, channel: '__proto__', seq: 1 }, 'out_of_range', 'channel'],
    ['a position without its channel', { ...beat, seq: 1 }, 'missing_field', 'channel'],
    ['a negative position', { ...beat, channel: 'c', seq: -1 }, 'out_of_range', 'seq'],
    ['an unknown field', { ...beat, taskID: 't1' }, 'unknown_field', 'taskID'],
    ['a field of another kind', { agentId, kind: 'started', taskId: 't1' }, 'unknown_field', 'taskId'],
    [
      "seed 000's name in another kind",
      { agentId, kind: 'task-ended', task_id: 't' },
      'unknown_field',
      'task_id',
    ],
    ['both names of one field', { ...beat, taskId: 't1', task_id: 't1' }, 'duplicate_field', 'task_id'],
    [
      '__proto__ as a field',
      JSON.parse(`{"agentId":"a","kind":"started","__proto__":{}}`),
      'forbidden_field',
      '__proto__',
    ],
    ['constructor as a field', { ...beat, constructor: 1 }, 'forbidden_field', 'constructor'],
    ['a negative token count', { ...beat, tokenCount: -1 }, 'out_of_range', 'tokenCount'],
    ['a fractional token count', { ...beat, token_count: 0.5 }, 'out_of_range', 'token_count'],
    ['a token count that is no number', { ...beat, tokenCount: Number.NaN }, 'out_of_range', 'tokenCount'],
    ['endless errors', { ...beat, errorCount: Number.POSITIVE_INFINITY }, 'out_of_range', 'errorCount'],
    ['a timestamp in words', { ...beat, timestamp: 'just now' }, 'wrong_type', 'timestamp'],
    [
      'a timestamp that no calendar has',
      { ...beat, timestamp: '2026-02-30T00:00:00Z' },
      'wrong_type',
      'timestamp',
    ],
    ['a timestamp before 1970', { ...beat, timestamp: -1 }, 'out_of_range', 'timestamp'],
    ['an unknown status', { ...beat, status: 'fine' }, 'wrong_type', 'status'],
    ['no status', { agentId, kind: 'status' }, 'missing_field', 'status'],
    ['no tool', { agentId, kind: 'call-begun', callId: 'c' }, 'missing_field', 'tool'],
    ['an empty tool', { ...call, tool: '' }, 'out_of_range', 'tool'],
    ['a tool that is too long', { ...call, tool: 'x'.repeat(201) }, 'too_long', 'tool'],
    ['an error flag as text', { ...call, isError: 'false' }, 'wrong_type', 'isError'],
    ['an output that is an object', { ...call, output: {} }, 'wrong_type', 'output'],
    ['an output that is too long', { ...call, output: 'x'.repeat(65_537) }, 'too_long', 'output'],
    [
      'words that are too long',
      { agentId, kind: 'said', role: 'user', text: 'x'.repeat(65_537) },
      'too_long',
      'text',
    ],
    ['an input that is too deep', { ...call, input: nested(33) }, 'too_deep', 'input'],
    ['an input that contains itself', { ...call, input: ring }, 'too_deep', 'input'],
    ['an input that is not JSON', { ...call, input: { f: () => 1 } }, 'wrong_type', 'input'],
    ['an input with a map in it', { ...call, input: [new Map()] }, 'wrong_type', 'input'],
    ['an input with NaN', { ...call, input: [Number.NaN] }, 'wrong_type', 'input'],
    [
      'an input with __proto__',
      { ...call, input: JSON.parse('{"a":{"__proto__":1}}') },
      'forbidden_field',
      'input',
    ],
    ['an input that is too large', { ...call, input: ['x'.repeat(300_000)] }, 'too_long', 'input'],
    ['an input of too many parts', { ...call, input: new Array(30_000).fill(0) }, 'too_long', 'input'],
    ['an unknown role', { agentId, kind: 'said', role: 'tool', text: '' }, 'wrong_type', 'role'],
    ['a negative cost', { agentId, kind: 'tokens', total: 1, costUsd: -0.01 }, 'out_of_range', 'costUsd'],
    [
      'more than all of the context',
      { agentId, kind: 'tokens', total: 1, contextUse: 1.1 },
      'out_of_range',
      'contextUse',
    ],
    ['no hash', { agentId, kind: 'checkpoint', checkpointId: 'c' }, 'missing_field', 'hash'],
    ['101 percent', { agentId, kind: 'task-updated', taskId: 't', percent: 101 }, 'out_of_range', 'percent'],
    [
      'an unknown outcome',
      { agentId, kind: 'task-ended', taskId: 't', outcome: 'ok' },
      'wrong_type',
      'outcome',
    ],
    ['an unknown verdict', { agentId, kind: 'verdict', verdict: 'accept' }, 'wrong_type', 'verdict'],
    [
      'an unknown priority',
      { agentId, kind: 'message-delivered', messageId: 'm', priority: 1 },
      'wrong_type',
      'priority',
    ],
    ['half a process', { agentId, kind: 'process', state: 'gone' }, 'missing_field', 'cpuMs'],
    ['an unknown hold', { agentId, kind: 'hold-begun', hold: 'bored' }, 'wrong_type', 'hold'],
    ['an exit without its code', { agentId, kind: 'exited' }, 'missing_field', 'code'],
    ['an exit code as text', { agentId, kind: 'exited', code: '0' }, 'wrong_type', 'code'],
    ['a finding that is a text', { agentId, kind: 'finding', finding: 'bad' }, 'wrong_type', 'finding'],
    [
      'an unknown kind of finding',
      { agentId, kind: 'finding', finding: { ...finding, kind: 'ugly' } },
      'wrong_type',
      'finding.kind',
    ],
    [
      'a finding with an extra',
      { agentId, kind: 'finding', finding: { ...finding, x: 1 } },
      'unknown_field',
      'finding.x',
    ],
    [
      'endless evidence',
      { agentId, kind: 'finding', finding: { ...finding, evidence: 'x'.repeat(201) } },
      'too_long',
      'finding.evidence',
    ],
    [
      'a cleared prototype',
      { agentId, kind: 'finding-cleared', findingKind: 'toString' },
      'wrong_type',
      'findingKind',
    ],
  ])('%s is refused', (_, value, code, field) => {
    const check = checkSignal(value);
    expect(check).toMatchObject({ kind: 'bad-signal', code });
    if (check.kind === 'bad-signal') {
      expect(check.field).toBe(field);
      expect(check.message.length).toBeGreaterThan(10);
    }
  });

  test('an error message does not repeat the value that was sent', () => {
    const secret = 'sk-ant-123456';
    expect(JSON.stringify(checkSignal({ ...beat, status: secret, phase: 'x' }))).not.toContain(secret);
    expect(JSON.stringify(checkSignal({ ...beat, ['y'.repeat(5_000)]: 1 })).length).toBeLessThan(400);
  });
});

test('any input gives either a signal with known fields or an error', () => {
  const kinds = fc.constantFrom(...Object.keys(samples), 'nonsense');
  const anything = fc.dictionary(fc.string(), fc.anything());
  fc.assert(
    fc.property(kinds, anything, (kind, extra) => {
      const check = checkSignal({ ...extra, agentId, kind });
      expect(['signal', 'bad-signal']).toContain(check.kind);
    }),
  );
  fc.assert(fc.property(fc.anything(), (value) => checkSignal(value).kind === 'bad-signal'));
});
