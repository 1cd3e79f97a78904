import { gzipSync } from 'node:zlib';
import type { CallOptions } from '../kit.ts';
import { ask, type Hostile } from './ask.ts';

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 32));
const gzip = { 'content-encoding': 'gzip' };
const ndjson = { 'content-type': 'application/x-ndjson' };
const register = ['POST', '/v1/agents'] as const;
const beat = ['POST', '/v1/agents/ada/heartbeat'] as const;
const signals = ['POST', '/v1/agents/ada/signals'] as const;
const batch = ['POST', '/v1/signals'] as const;
const checkpoints = ['POST', '/v1/agents/ada/checkpoints'] as const;
const agent = (fields: object): CallOptions => ({ body: { agentId: 'eve', instanceId: 'i', ...fields } });

const registering: readonly Hostile[] = [
  ask('no id', register, 'enroll', [400, 'missing_field'], { body: { instanceId: 'i' } }),
  ask('a number as id', register, 'enroll', [400, 'wrong_type'], agent({ agentId: 7 })),
  ask('an empty id', register, 'enroll', [400, 'bad_value'], agent({ agentId: '' })),
  ask('a long id', register, 'enroll', [400, 'bad_value'], agent({ agentId: 'a'.repeat(129) })),
  ask('a path as id', register, 'enroll', [400, 'bad_value'], agent({ agentId: '../../etc/passwd' })),
  ask('id __proto__', register, 'enroll', [400, 'bad_value'], agent({ agentId: '__proto__' })),
  ask('id constructor', register, 'enroll', [400, 'bad_value'], agent({ agentId: 'constructor' })),
  ask('a Cyrillic letter', register, 'enroll', [400, 'bad_value'], agent({ agentId: '\u0430da' })),
  ask('a zero-width space', register, 'enroll', [400, 'bad_value'], agent({ agentId: 'ada\u200b' })),
  ask('a line break', register, 'enroll', [400, 'bad_value'], agent({ agentId: 'ada\n' })),
  ask('a huge instance', register, 'enroll', [400, 'out_of_range'], agent({ instanceId: 'i'.repeat(9_999) })),
  ask('an escape code', register, 'enroll', [400, 'bad_value'], agent({ instanceId: '\u001b[2J' })),
  ask('a group of every object', register, 'enroll', [400, 'bad_value'], agent({ group: 'valueOf' })),
  ask(
    'a negative interval',
    register,
    'enroll',
    [400, 'out_of_range'],
    agent({ promises: { beatEverySeconds: -1 } }),
  ),
  ask('an unknown promise', register, 'enroll', [400, 'unknown_field'], agent({ promises: { love: true } })),
  ask('an unknown mode', register, 'enroll', [400, 'bad_value'], agent({ mode: 'kill' })),
  ask(
    'too many capabilities',
    register,
    'enroll',
    [400, 'out_of_range'],
    agent({ can: Array(999).fill('nudge') }),
  ),
  ask('mode act of an agent', register, 'enroll', [403, 'operator_needed'], agent({ mode: 'act' })),
  ask('infinity', register, 'enroll', [400, 'wrong_type'], {
    raw: '{"agentId":"eve","instanceId":"i","promises":{"beatEverySeconds":1e999}}',
  }),
  ask('NaN', register, 'enroll', [400, 'bad_json'], { raw: '{"agentId":"eve","instanceId":NaN}' }),
  ask('a prototype key', register, 'enroll', [400, 'forbidden_field'], {
    raw: '{"agentId":"eve","instanceId":"i","__proto__":{"role":"x"}}',
  }),
  ask('an escaped prototype key', register, 'enroll', [400, 'forbidden_field'], {
    raw: '{"agentId":"eve","instanceId":"i","__pr\\u006fto__":{"role":"x"}}',
  }),
  ask('an array', register, 'enroll', [400, 'wrong_type'], { body: [] }),
  ask('null', register, 'enroll', [400, 'wrong_type'], { raw: 'null' }),
  ask('no body', register, 'enroll', [400, 'missing_field'], { raw: '' }),
  ask('a living name', register, 'enroll', [409, 'agent_running'], agent({ agentId: 'ada' })),
  ask(
    'a guessed spawn key',
    register,
    'enroll',
    [409, 'agent_running'],
    agent({ agentId: 'ada', spawnKey: 'k' }),
  ),
  ask('a viewer', register, 'viewer', [403, 'forbidden'], agent({})),
  ask('nobody', register, null, [401, 'unauthorized'], agent({})),
  ask('an unknown token', register, null, [401, 'unauthorized'], {
    ...agent({}),
    headers: { authorization: `Bearer hlt_${'x'.repeat(43)}` },
  }),
  ask('another scheme', register, null, [401, 'unauthorized'], {
    ...agent({}),
    headers: { authorization: 'Basic b3A6b3A=' },
  }),
  ask('a token of 8 KB', register, null, [401, 'unauthorized'], {
    ...agent({}),
    headers: { authorization: `Bearer ${'x'.repeat(8_000)}` },
  }),
];

const beating: readonly Hostile[] = [
  ask("another agent's token", beat, 'bob', [403, 'forbidden'], { body: {} }),
  ask('the token of an older start', beat, 'old', [409, 'stale_incarnation'], { body: {} }),
  ask('an older start', beat, 'ada', [409, 'stale_incarnation'], { body: { incarnation: 1 } }),
  ask('a future start', beat, 'ada', [409, 'stale_incarnation'], { body: { incarnation: 99 } }),
  ask('another name inside', beat, 'ada', [400, 'other_agent'], { body: { agent_id: 'bob' } }),
  ask('both spellings', beat, 'ada', [400, 'duplicate_field'], { body: { taskId: 'a', task_id: 'b' } }),
  ask('an exit as a beat', beat, 'ada', [400, 'unknown_kind'], { body: { kind: 'exited', code: 1 } }),
  ask('a negative count', beat, 'ada', [400, 'out_of_range'], { body: { token_count: -5 } }),
  ask('a broken count', beat, 'ada', [400, 'out_of_range'], { body: { token_count: 1.5 } }),
  ask('a count beyond numbers', beat, 'ada', [400, 'out_of_range'], { body: { token_count: 1e308 } }),
  ask('a time before time', beat, 'ada', [400, 'out_of_range'], { body: { timestamp: -1 } }),
  ask('a time in words', beat, 'ada', [400, 'wrong_type'], { body: { timestamp: 'yesterday' } }),
  ask('an unknown field', beat, 'ada', [400, 'unknown_field'], { body: { heartRate: 60 } }),
  ask('a text', beat, 'ada', [400, 'not_an_object'], { body: 'alive' }),
  ask('plain text', beat, 'ada', [415, 'wrong_content_type'], {
    raw: '{}',
    headers: { 'content-type': 'text/plain' },
  }),
  ask('a form', beat, 'ada', [415, 'wrong_content_type'], {
    raw: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  ask('a gzip bomb', beat, 'ada', [413, 'body_too_large'], { raw: bomb, headers: gzip }),
  ask('no gzip', beat, 'ada', [400, 'bad_gzip'], { raw: '{}', headers: gzip }),
  ask('another encoding', beat, 'ada', [415, 'wrong_encoding'], {
    raw: '{}',
    headers: { 'content-encoding': 'br' },
  }),
  ask('two megabytes', beat, 'ada', [413, 'body_too_large'], { body: { phase: 'x'.repeat(2_000_000) } }),
  ask('a deep body', beat, 'ada', [400, 'too_deep'], { raw: `{"phase":${deep(100_000)}}` }),
  ask('half a character', beat, 'ada', [400, 'bad_text'], { raw: '{"phase":"\\ud800"}' }),
  ask('broken UTF-8', beat, 'ada', [400, 'bad_utf8'], {
    raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  }),
  ask('half a body', beat, 'ada', [400, 'bad_json'], { raw: '{"phase":"cod' }),
  ask('a byte order mark', beat, 'ada', [400, 'bad_json'], { raw: '\ufeff{}' }),
  ask('an unknown agent', ['POST', '/v1/agents/nobody/heartbeat'], 'operator', [404, 'unknown_agent'], {
    body: {},
  }),
];

const signalling: readonly Hostile[] = [
  ask('its own exit', signals, 'ada', [403, 'forbidden'], { body: { kind: 'exited', code: 1 } }),
  ask('a finding about itself', signals, 'ada', [403, 'forbidden'], {
    body: { kind: 'finding-cleared', findingKind: 'silent' },
  }),
  ask('an operator pause', signals, 'ada', [403, 'forbidden'], {
    body: { kind: 'hold-begun', hold: 'paused-by-operator' },
  }),
  ask('an unknown kind', signals, 'ada', [400, 'unknown_kind'], { body: { kind: 'toString' } }),
  ask('a field of every object', signals, 'ada', [400, 'forbidden_field'], {
    raw: '{"kind":"activity","constructor":1}',
  }),
  ask('too many', signals, 'ada', [413, 'too_many_signals'], {
    body: Array(1_001).fill({ kind: 'activity' }),
  }),
  ask('a position in nothing', signals, 'ada', [400, 'missing_field'], {
    body: { kind: 'activity', seq: 1 },
  }),
  ask('a channel of every object', signals, 'ada', [400, 'out_of_range'], {
    body: { kind: 'activity', channel: 'toString', seq: 1 },
  }),
  ask('too deep an input', signals, 'ada', [400, 'too_deep'], {
    raw: `{"kind":"call-begun","callId":"c","tool":"t","input":${deep(36)}}`,
  }),
  ask('too long an output', signals, 'ada', [400, 'too_long'], {
    body: { kind: 'call-ended', callId: 'c', tool: 't', isError: false, output: 'x'.repeat(70_000) },
  }),
  ask('an endless hold', signals, 'ada', [400, 'out_of_range'], {
    raw: '{"kind":"hold-begun","hold":"asleep","until":1e999}',
  }),
  ask('JSON instead of lines', batch, 'operator', [415, 'wrong_content_type'], { body: {} }),
  ask('lines of another agent', batch, 'bob', [200, '"forbidden"'], {
    raw: '{"kind":"activity","agentId":"ada"}',
    headers: ndjson,
  }),
  ask('a line without end', batch, 'operator', [200, '"line_too_long"'], {
    raw: 'x'.repeat(1_100_000),
    headers: ndjson,
  }),
  ask('a broken line', batch, 'operator', [200, '"bad_json"'], { raw: '{"kind":\n', headers: ndjson }),
  ask('a line of broken UTF-8', batch, 'operator', [200, '"bad_utf8"'], {
    raw: Buffer.from([0xff, 0x0a]),
    headers: ndjson,
  }),
  ask('a gzip bomb', batch, 'operator', [200, '"body_too_large"'], {
    raw: bomb,
    headers: { ...ndjson, ...gzip },
  }),
  ask('no gzip', batch, 'operator', [200, '"bad_gzip"'], { raw: 'abc', headers: { ...ndjson, ...gzip } }),
  ask('a deep line', batch, 'operator', [200, '"too_deep"'], { raw: deep(50_000), headers: ndjson }),
  ask('a viewer', batch, 'viewer', [403, 'forbidden'], { raw: '{}', headers: ndjson }),
];

const remembering: readonly Hostile[] = [
  ask("another agent's token", checkpoints, 'bob', [403, 'forbidden'], { body: { content: 1 } }),
  ask('the token of an older start', checkpoints, 'old', [409, 'stale_incarnation'], {
    body: { content: 1 },
  }),
  ask('nothing', checkpoints, 'ada', [400, 'bad_value'], { body: {} }),
  ask('a wrong hash', checkpoints, 'ada', [422, 'hash_mismatch'], {
    body: { content: 1, hash: '0'.repeat(64) },
  }),
  ask('no hash at all', checkpoints, 'ada', [400, 'bad_value'], { body: { content: 1, hash: 'sha' } }),
  ask('a parent that nobody has', checkpoints, 'ada', [409, 'unknown_parent'], {
    body: { content: 1, parentId: 'p' },
  }),
  ask('its own parent', checkpoints, 'ada', [400, 'bad_value'], {
    body: { content: 1, checkpointId: 'c', parentId: 'c' },
  }),
  ask('five megabytes', checkpoints, 'ada', [413, 'body_too_large'], {
    body: { content: 'x'.repeat(5_000_000) },
  }),
  ask('a list of minus one', ['GET', '/v1/agents/ada/checkpoints?limit=-1'], 'ada', [400, 'bad_value']),
];

export const fromAgents: readonly Hostile[] = [...registering, ...beating, ...signalling, ...remembering];
