import { createHash } from 'node:crypto';
import { milliseconds, minutes, type Registration } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { Engine } from '../engine/engine.ts';
import { ReplyQueue } from '../engine/reply-queue.ts';
import { defaultPolicies } from '../policy/index.ts';
import { openMemory } from '../store/memory/index.ts';
import { Intake } from './intake.ts';
import { HOLTER, type Sender } from './sender.ts';

const ada: Registration = {
  agentId: 'ada',
  instanceId: 'ada-1',
  role: 'active-development',
  group: 'default',
  mode: 'nudge',
  promises: { calls: { modelTimeoutMs: milliseconds(0) }, tasks: true },
  can: ['nudge'],
  executor: null,
  taskId: 't1',
};
const ADA: Sender = { role: 'agent', agentId: 'ada', incarnation: 1 };
const OPERATOR: Sender = { role: 'operator', agentId: null, incarnation: null };

async function world({ agentsPerTokenMax = 10 } = {}) {
  const clock = new ManualClock();
  const store = openMemory();
  let ids = 0;
  const engine: Engine = new Engine({
    store,
    clock,
    policies: { ...defaultPolicies, quotas: { ...defaultPolicies.quotas, agentsPerTokenMax } },
    executors: [],
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId: () => `id-${++ids}`,
    newSecret: () => 'secret',
    onBug: (error) => {
      throw error;
    },
  });
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  engine.addExecutor(replies);
  replies.follow(engine);
  await engine.start();
  const intake = new Intake({ engine, replies, store, clock });
  const isNudgeSeen = async () => {
    await settled();
    return (await engine.read('ada'))?.hard.incident?.isNudgeSeen === true;
  };
  /** A silent agent that received a nudge in the reply to one of its requests. */
  const nudged = async () => {
    await engine.register(ada);
    await clock.advance(16 * 60_000);
    expect(replies.take('ada', 1)).toHaveLength(1);
    await settled();
  };
  return { clock, store, engine, replies, intake, isNudgeSeen, nudged };
}

describe('a nudge delivered in a reply', () => {
  test('is seen when the agent sends another signal, unless that signal is refused', async () => {
    const { intake, isNudgeSeen, nudged } = await world();
    await nudged();
    const forged = { kind: 'exited', agentId: 'ada', code: 0 };
    expect(await intake.take(forged, ADA)).toMatchObject({ kind: 'refused', code: 'forbidden' });
    expect(await intake.take({ kind: 'nonsense', agentId: 'ada' }, ADA)).toMatchObject({ kind: 'refused' });
    expect(await isNudgeSeen()).toBe(false);
    expect(await intake.take({ kind: 'activity', agentId: 'ada' }, ADA)).toEqual({
      kind: 'taken',
      notes: [],
    });
    expect(await isNudgeSeen()).toBe(true);
  });

  test('is not marked seen by a signal that was sent before the reply', async () => {
    const { intake, clock, engine, replies, isNudgeSeen } = await world();
    await engine.register(ada);
    await clock.advance(16 * 60_000);
    const early = intake.take({ kind: 'activity', agentId: 'ada' }, ADA);
    expect(replies.take('ada', 1)).toHaveLength(1);
    await early;
    expect(await isNudgeSeen()).toBe(false);
  });

  test('is not marked seen by a signal from another sender', async () => {
    const { intake, isNudgeSeen, nudged } = await world();
    await nudged();
    await intake.take({ kind: 'activity', agentId: 'ada', incarnation: 1 }, OPERATOR);
    expect(await isNudgeSeen()).toBe(false);
  });
});

test('the newest nudge replaces those that were not read yet', async () => {
  const { clock, engine, replies } = await world();
  await engine.register(ada);
  for (const message of ['first', 'second', 'third'])
    await engine.decide('ada', { decision: 'nudge', by: 'olga', reason: 'why', message });
  await clock.advance(1_000);
  expect(replies.take('ada', 1).map(({ message }) => message)).toEqual(['Holter: third']);
  await settled();
  expect((await engine.read('ada'))?.hard.incident?.nudges).toEqual({
    decided: 3,
    delivered: 1,
    newest: 'delivered',
  });
});

test('the sender determines which signals are allowed', async () => {
  const { engine, intake } = await world();
  await engine.register(ada);
  const exited = { kind: 'exited', agentId: 'ada', incarnation: 1, code: 0 };
  expect(await intake.take({ kind: 'activity', agentId: 'bob' }, ADA)).toMatchObject({ code: 'forbidden' });
  expect(await intake.take({ kind: 'activity', agentId: 'ada', incarnation: 2 }, ADA)).toMatchObject({
    code: 'stale_incarnation',
  });
  expect(await intake.take({ ...exited }, ADA)).toMatchObject({ code: 'forbidden' });
  expect(
    await intake.take({ kind: 'task-updated', agentId: 'ada', incarnation: 1, taskId: 't1' }, HOLTER),
  ).toEqual({ kind: 'taken', notes: [] });
  expect((await engine.read('ada'))?.soft.activityAt).toBe(0);
  expect(await intake.take({ ...exited }, OPERATOR)).toEqual({ kind: 'taken', notes: [] });
  expect(Object.fromEntries(intake.takenCounts)).toEqual({ 'task-updated': 1, exited: 1 });
  expect(Object.fromEntries(intake.refusedCounts)).toEqual({ exited: 1 });
});

test('a time in the future is replaced by now, with a note when it is far off', async () => {
  const { clock, engine, intake } = await world();
  await engine.register(ada);
  const now = clock.now();
  const beats: unknown[] = [];
  engine.onStreamed((events) => beats.push(...events.map(({ payload }) => payload)));
  engine.onFollowed(({ events }) => beats.push(...events.map(({ payload }) => payload)));
  const beat = { kind: 'heartbeat', agentId: 'ada', timestamp: now + 5_000, last_tool_call: now + 900 };
  expect(await intake.take(beat, ADA)).toEqual({
    kind: 'taken',
    notes: ['timestamp was in the future; taken as now'],
  });
  // By its own clock, the call was 4.1 s ago.
  expect(beats.at(-1)).toMatchObject({ timestamp: now, lastToolCall: now - 4_100 });
  expect(await intake.take({ kind: 'heartbeat', agentId: 'ada', last_tool_call: now + 5_000 }, ADA)).toEqual({
    kind: 'taken',
    notes: ['last_tool_call was in the future; taken as now'],
  });
  expect(beats.at(-1)).toMatchObject({ lastToolCall: now });
});

test('signals of one request are folded in order, and a bad one does not block the others', async () => {
  const { engine, intake } = await world();
  await engine.register(ada);
  const anyStart: Sender = { role: 'agent', agentId: 'ada', incarnation: null };
  const values = [{ kind: 'turn-begun', agentId: 'ada' }, 7, { kind: 'turn-ended', agentId: 'ada' }];
  const taken = await Promise.all(await intake.takeAll(values, anyStart));
  expect(taken.map(({ kind }) => kind)).toEqual(['taken', 'refused', 'taken']);
  expect((await engine.read('ada'))?.hard.turnSince).toBeUndefined();
});

test('a registration counts against the quota of its enroll token, and secrets in it are redacted', async () => {
  const { engine, intake } = await world({ agentsPerTokenMax: 1 });
  const enroller: Sender = { role: 'enroll', agentId: null, incarnation: null, tokenId: 't' };
  const taskId = 'deploy with token=abcdefgh12345678';
  expect(await intake.register({ ...ada, taskId }, enroller)).toMatchObject({ kind: 'enrolled' });
  expect((await engine.read('ada'))?.hard.task?.id).toBe('deploy with token=[redacted]');
  expect(await intake.register(ada, enroller)).toMatchObject({ kind: 'enrolled' });
  expect(await intake.register({ ...ada, agentId: 'bob' }, enroller)).toMatchObject({
    kind: 'refused',
    code: 'too_many_agents',
  });
});

describe('secrets', () => {
  const key = ['sk', '-ant-api03-', 'Zx81kQw0'.repeat(5)].join('');
  const command = `curl -H "Authorization: Bearer ${key}" https://bob:hunter2@example.com -u eve:geheim77`;
  const HELD = ['Zx81kQw0', 'hunter2', 'geheim77'];

  test('in a call, a hook or a reason are in no record, event or effect', async () => {
    const { engine, intake } = await world();
    await engine.register(ada);
    const told: unknown[] = [];
    engine.onCommitted((commit) => told.push(commit));
    const calls = Array.from({ length: 12 }, (_, n) => ({
      kind: 'call-ended',
      agentId: 'ada',
      callId: `c${n}`,
      tool: 'Bash',
      input: { command, env: { DB_PASSWORD: 'hunter2' } },
      output: `denied for ${key}`,
      isError: true,
      text: `trying ${key}`,
    }));
    for (const call of calls) expect(await intake.take(call, ADA)).toMatchObject({ kind: 'taken' });
    const others = [
      { kind: 'said', role: 'assistant', text: `the password is hunter2 and the key ${key}` },
      { kind: 'error', message: command },
      { kind: 'blocker', text: command },
      { kind: 'task-updated', taskId: command, note: command },
      { kind: 'heartbeat', phase: `password=hunter2`, progressIndicator: key, taskId: `token=${key}` },
      { kind: 'handoff-requested', reason: command },
      { kind: 'stopped', reason: command },
    ];
    for (const other of others)
      expect(await intake.take({ agentId: 'ada', ...other }, ADA)).toMatchObject({ kind: 'taken' });
    const agent = await engine.read('ada');
    expect(agent?.hard.end?.detail).toContain('[redacted]');
    const stored = JSON.stringify([agent, told]);
    expect(stored).toContain('curl -H');
    expect(HELD.filter((secret) => stored.includes(secret))).toEqual([]);
  });

  test('that differ do not make a repeated call a new one', async () => {
    const { engine, intake } = await world();
    await engine.register(ada);
    for (let n = 0; n < 12; n += 1)
      await intake.take(
        {
          kind: 'call-ended',
          agentId: 'ada',
          callId: `c${n}`,
          tool: 'Bash',
          input: { command: `curl -H "Authorization: Bearer ${key}${n}" https://example.com/jobs/7` },
          output: 'pending',
          isError: false,
        },
        ADA,
      );
    const points = (await engine.read('ada'))?.hard.points ?? [];
    expect(points.map(({ kind }) => kind)).toContain('repeated-call');
  });
});

test('fifteen blockers of crafted text do not hold up the clock', async () => {
  const { engine, intake } = await world();
  await engine.register(ada);
  const text = 'eyJ-'.repeat(16_000);
  const before = process.cpuUsage();
  for (let n = 0; n < 15; n += 1)
    expect(await intake.take({ kind: 'blocker', agentId: 'ada', text }, ADA)).toMatchObject({
      kind: 'taken',
    });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

test('people are told once when a start that was replaced is heard again', async () => {
  const { clock, engine, intake } = await world();
  await engine.register({ ...ada, promises: { beatEveryMs: minutes(1) }, can: ['spawn'] });
  await intake.take({ kind: 'heartbeat', agentId: 'ada' }, ADA);
  await clock.advance(10 * 60_000);
  await engine.decide('ada', { decision: 'replace', by: 'olga', reason: 'its machine is gone' });
  const told: string[] = [];
  engine.onFollowed(({ events }) => {
    for (const event of events) if (event.type === 'ATTENTION_RAISED') told.push(event.payload.message);
  });
  const beat = { kind: 'heartbeat', agentId: 'ada', incarnation: 1 };
  // Before its successor has started, and after.
  expect(await intake.take({ ...beat }, ADA)).toMatchObject({ code: 'agent_ended' });
  expect(await intake.take({ ...beat }, OPERATOR)).toMatchObject({ code: 'agent_ended' });
  await engine.register({ ...ada, instanceId: 'ada-2' });
  expect(await intake.take({ ...beat }, ADA)).toMatchObject({ code: 'stale_incarnation' });
  await settled();
  const words = 'ada was given up and replaced, and its start 1 is heard again.';
  expect(told.filter((message) => message.includes('heard again'))).toEqual([expect.stringContaining(words)]);
  expect((await engine.read('ada'))?.hard).toMatchObject({ incarnation: 2, givenUp: [1] });
});
