import { createHash } from 'node:crypto';
import { seconds } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { Engine } from '../engine/engine.ts';
import { ReplyQueue } from '../engine/reply-queue.ts';
import { Intake, type Sender } from '../intake/index.ts';
import { defaultPolicies } from '../policy/index.ts';
import { openMemory } from '../store/memory/index.ts';
import { hookSessions } from './index.ts';

const SESSION = 'c64a3fea-d51f-4305-9248-db9d38df8039';
const AGENT = 'claude.proj.c64a3fea';

const ENROLLER: Sender = { role: 'enroll', agentId: null, incarnation: null, tokenId: 't' };

async function world() {
  const clock = new ManualClock();
  let ids = 0;
  const failures: unknown[] = [];
  const store = openMemory();
  const engine: Engine = new Engine({
    store,
    clock,
    policies: defaultPolicies,
    executors: [],
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId: () => `id-${++ids}`,
    newSecret: () => 'secret',
    onBug: (error) => failures.push(error),
  });
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  engine.addExecutor(replies);
  await engine.start();
  const intake = new Intake({ engine, replies, store, clock });
  const [hooks] = hookSessions({
    engine,
    intake,
    store,
    replies,
    clock,
    failed: (error) => failures.push(error),
  });
  if (!hooks) throw new Error('no adapter has hooks');
  const hook = async (event: string, fields: object = {}, session = SESSION) => {
    const body = { session_id: session, cwd: '/home/dev/proj', hook_event_name: event, ...fields };
    const answer = await hooks.handle(body, ENROLLER);
    await hooks.settled();
    await settled();
    return answer?.kind === 'answered' ? answer.reply : answer;
  };
  let calls = 0;
  /** One call that fails, as the CLI reports it, and the reply at the end of the batch. */
  const failingCall = async (session = SESSION) => {
    const call = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: `toolu_${++calls}` };
    const before = await hook('PreToolUse', call, session);
    await hook('PostToolUseFailure', { ...call, error: 'Exit code 1\n3 tests failed' }, session);
    await clock.advance(3_000);
    const after = await hook(
      'PostToolBatch',
      { tool_calls: [{ ...call, tool_response: 'Exit code 1' }] },
      session,
    );
    return { before, after };
  };
  return { engine, clock, hooks, hook, failingCall, failures };
}

test('a session becomes an agent, named after project and session', async () => {
  const { engine, hook, failures } = await world();
  await hook('UserPromptSubmit', { prompt: 'fix the tests' });
  expect((await engine.read(AGENT))?.hard).toMatchObject({ mode: 'nudge', group: 'proj', incarnation: 1 });
  expect(failures).toEqual([]);
});

test('a loop is nudged once, at the fifth repeat, in the reply that ends its batch', async () => {
  const { engine, hook, failingCall, failures } = await world();
  await hook('UserPromptSubmit', { prompt: 'fix the tests' });
  const replies: unknown[] = [];
  for (let n = 0; n < 6; n++) replies.push((await failingCall()).after);
  const nudged = replies.filter((reply) => JSON.stringify(reply).includes('Holter:'));
  expect(nudged).toHaveLength(1);
  expect(replies.indexOf(nudged[0])).toBeLessThanOrEqual(4);
  expect((await engine.read(AGENT))?.hard.incident?.isNudgeSeen).toBe(true);
  expect(failures).toEqual([]);
});

test('two sessions of one project: only the one that loops is nudged', async () => {
  const { engine, hook, failingCall } = await world();
  const other = 'd64a3fea-d51f-4305-9248-db9d38df8040';
  await hook('UserPromptSubmit', { prompt: 'a' });
  await hook('UserPromptSubmit', { prompt: 'b' }, other);
  for (let n = 0; n < 6; n++) await failingCall();
  await hook('PreToolUse', { tool_name: 'Read', tool_input: { file_path: 'x' }, tool_use_id: 'r1' }, other);
  expect((await engine.read('claude.proj.d64a3fea'))?.hard.health).toBe('HEALTHY');
  expect((await engine.read(AGENT))?.hard.health).toBe('STUCK');
});

test('a permission prompt and a rate limit are holds, and the end is a stop', async () => {
  const { engine, clock, hook } = await world();
  await hook('UserPromptSubmit', { prompt: 'a' });
  await hook('Notification', { notification_type: 'permission_prompt' });
  await clock.advance(2 * 3_600_000);
  expect((await engine.read(AGENT))?.hard.health).toBe('HEALTHY');
  await hook('StopFailure', { error: 'rate_limit' });
  await clock.advance(2 * 3_600_000);
  expect((await engine.read(AGENT))?.hard.health).toBe('HEALTHY');
  await hook('SessionEnd', { reason: 'other' });
  expect((await engine.read(AGENT))?.hard.health).toBe('TERMINATED');
});

test('a session that is resumed after its end is a new incarnation of the same agent', async () => {
  const { engine, hook, failures } = await world();
  await hook('UserPromptSubmit', { prompt: 'a' });
  await hook('SessionEnd', { reason: 'other' });
  await hook('UserPromptSubmit', { prompt: 'go on' });
  expect((await engine.read(AGENT))?.hard).toMatchObject({ incarnation: 2, turnSince: expect.any(Number) });
  expect(failures).toEqual([]);
});

test('a subagent is a separate agent that ends with its session', async () => {
  const { engine, hook } = await world();
  const helper = `${AGENT}:a1b2`;
  await hook('UserPromptSubmit', { prompt: 'a' });
  await hook('SubagentStart', { agent_id: 'a1b2', agent_type: 'Explore' });
  await hook('PreToolUse', { agent_id: 'a1b2', tool_name: 'Read', tool_input: {}, tool_use_id: 'r1' });
  expect((await engine.read(helper))?.hard).toMatchObject({ group: 'proj', mode: 'nudge' });
  expect((await engine.read(AGENT))?.hard.holds).toEqual([]);
  await hook('SessionEnd', { reason: 'other' });
  await settled();
  expect((await engine.read(helper))?.hard.end).toMatchObject({ how: 'stopped' });
});

test('the end of a session started by a run is reported by the run, which sees the process', async () => {
  const { engine, hooks, failures } = await world();
  const promises = { calls: { modelTimeoutMs: seconds(300) }, turns: true as const, process: true as const };
  const can = ['nudge', 'deny-call', 'terminate', 'spawn'] as const;
  const run = { agentId: 'fixer', instanceId: '1', role: 'default', group: 'g', executor: 'run:1' };
  await engine.register({ ...run, mode: 'act', promises, can });
  const body = { session_id: SESSION, cwd: '/home/dev/proj', hook_event_name: 'SessionEnd', reason: 'other' };
  expect(await hooks.handle(body, { role: 'agent', agentId: 'fixer', incarnation: 1 })).toEqual({
    kind: 'answered',
    reply: {},
  });
  await hooks.settled();
  expect((await engine.read('fixer'))?.hard.end).toBeUndefined();
  expect(failures).toEqual([]);
});

test('signals from hooks are validated like any other, and a call that is too large still counts', async () => {
  const { engine, hook, failures } = await world();
  await hook('UserPromptSubmit', { prompt: 'a' });
  const content = 'x'.repeat(300_000);
  const call = { tool_name: 'Write', tool_input: { content }, tool_use_id: 'w1' };
  await hook('PreToolUse', call);
  expect((await engine.read(AGENT))?.hard.holds).toMatchObject([{ kind: 'in-tool' }]);
  await hook('PostToolUse', { ...call, tool_response: 'ok' });
  expect((await engine.read(AGENT))?.hard.outcomes).toBe('.');
  expect(failures).toHaveLength(2);
});
