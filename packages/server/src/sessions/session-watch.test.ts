import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashText, instant, type SignalBody } from '@holter/core';
import { afterAll, expect, test, vi } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { claudeCode } from '../adapters/claude-code/index.ts';
import type { Adapter } from '../adapters/index.ts';
import type { Engine } from '../engine/engine.ts';
import type { Intake } from '../intake/index.ts';
import type { ProcessRow, ProcessTable } from '../processes/index.ts';
import { Session } from './session.ts';
import { SessionWatch } from './session-watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-sessions-'));
mkdirSync(join(folder, 'sessions'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SESSION = 'c64a3fea-d51f-4305-9248-db9d38df8039';
const file = join(folder, 'sessions', '12650.json');
const says = (status: string | null, procStart = '218183') =>
  writeFileSync(
    file,
    JSON.stringify({ pid: 12_650, procStart, sessionId: SESSION, ...(status && { status }) }),
  );

function world(executor: string | null = null, isHeard = true) {
  const clock = new ManualClock();
  const living = new Map([
    [12_650, { pid: 12_650, parentPid: 1, startedAt: '218183', state: 'sleeping' }],
    [12_700, { pid: 12_700, parentPid: 12_650, startedAt: '218200', state: 'sleeping' }],
  ]);
  const table = {
    bootId: 'b',
    row: (pid: number) => (living.get(pid) ?? null) as ProcessRow | null,
    userOf: () => null,
    childPids: (pid: number) =>
      [...living.values()].filter((row) => row.parentPid === pid).map((row) => row.pid),
  } as unknown as ProcessTable;
  const agent = {
    hard: {
      executor,
      incarnation: 1,
      startedAt: clock.now(),
      holds: [] as { kind: string }[],
      points: [] as { kind: string }[],
      seen: [] as number[],
    },
    soft: {},
  };
  const engine = { peek: () => agent, read: async () => agent } as unknown as Engine;
  const heard: SignalBody[] = [];
  const told: string[] = [];
  const sensed: SignalBody[] = [];
  const left: number[] = [];
  let looks = 0;
  const readSessions: Adapter['session'] = async (...args) => {
    const files = await claudeCode.session?.(...args);
    looks += 1;
    return files ?? new Map();
  };
  const failed = (error: unknown): void => {
    throw error;
  };
  const watch = new SessionWatch({
    adapter: { ...claudeCode, session: readSessions },
    engine,
    clock,
    env: { CLAUDE_CONFIG_DIR: folder },
    table,
    failed,
    fileFaults: (faults) => void told.push(...faults),
    sessionOf: async () => null,
    sensed: (_session, signal) => void sensed.push(signal),
    leftBehind: (_session, pids) => void left.push(...pids),
  });
  const source = { sessionId: SESSION, subagentId: null, cwd: null, transcriptPath: null };
  const take: Intake['take'] = async (value) => {
    const { agentId: _agentId, ...signal } = value as SignalBody & { agentId: string };
    heard.push(signal);
    return { kind: 'taken', notes: [] };
  };
  const session = () => new Session({ source, agentId: 'a', incarnation: 1, intake: { take }, failed });
  if (isHeard) watch.heard(session());
  else watch.follow(session());
  // Files are read in real time: each look is waited for, and so is the end of the one before.
  const pass = async () => {
    const before = looks;
    const patience = { timeout: 10_000 };
    await vi.waitFor(() => expect(clock.isWaitedFor).toBe(true), patience);
    await clock.advance(2_500);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before), patience);
    await settled();
  };
  return { heard, told, sensed, left, pass, living, clock, agent, hook: () => watch.heard(session()) };
}

const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id });

/** An empty transcript, and what appends a line to it. */
function transcript(clock: ManualClock) {
  const project = join(folder, 'projects', '-shop');
  mkdirSync(project, { recursive: true });
  const path = join(project, `${SESSION}.jsonl`);
  writeFileSync(path, '');
  return (type: 'assistant' | 'user', content: object, at: number = clock.now()): void =>
    appendFileSync(
      path,
      `${JSON.stringify({ type, sessionId: SESSION, uuid: `${at}-${type}`, timestamp: new Date(at).toISOString(), message: { id: `m${at}`, role: type, content: [content] } })}\n`,
    );
}

test('waiting and idle are holds, busy ends them, and an unknown status changes nothing', async () => {
  const { heard, pass } = world();
  says('busy');
  await pass();
  expect(heard).toEqual([]);
  says('waiting');
  await pass();
  expect(heard.splice(0)).toEqual([{ kind: 'hold-begun', hold: 'waiting-for-permission' }]);
  says('compacting');
  await pass();
  expect(heard).toEqual([]);
  says('busy');
  await pass();
  expect(heard.splice(0)).toEqual([{ kind: 'hold-ended', hold: 'waiting-for-permission' }]);
  says('idle');
  await pass();
  expect(heard).toEqual([{ kind: 'hold-begun', hold: 'waiting-for-input' }]);
});

test('a session file whose pid now belongs to another process is ignored', async () => {
  const { heard, pass } = world();
  says('waiting', '999');
  await pass();
  expect(heard).toEqual([]);
});

test.each<[executor: string | null, kinds: readonly string[]]>([
  [null, ['stopped']],
  ['run:1', []],
])('a process that lived and is gone, started by %s', async (executor, kinds) => {
  const { heard, sensed, pass, living } = world(executor);
  says('busy');
  await pass();
  living.clear();
  await pass();
  await pass();
  // Holter has seen it, so it is not the session's own word.
  expect(sensed.map(({ kind }) => kind)).toEqual(kinds);
  expect(heard).toEqual([]);
});

test('a file that is removed or rewritten while the process lives ends nothing; its process does', async () => {
  const { heard, sensed, pass, living } = world();
  says('busy');
  await pass();
  rmSync(file);
  await pass();
  // Another process of the agent, to be seen ending in its place.
  living.set(12_800, { pid: 12_800, parentPid: 1, startedAt: '5', state: 'sleeping' });
  const other = join(folder, 'sessions', '12800.json');
  writeFileSync(other, JSON.stringify({ pid: 12_800, procStart: '5', sessionId: SESSION, status: 'busy' }));
  await pass();
  living.delete(12_800);
  await pass();
  rmSync(other);
  expect([...heard, ...sensed]).toEqual([]);
  living.delete(12_650);
  await pass();
  await pass();
  expect(sensed).toEqual([{ kind: 'stopped', reason: 'its process has gone' }]);
});

test('a session that ends while its process goes on with another one (/clear) has ended by its own word', async () => {
  const { heard, sensed, pass, agent } = world();
  says('busy');
  await pass();
  writeFileSync(
    file,
    JSON.stringify({ pid: 12_650, procStart: '218183', sessionId: SESSION.replace('c', 'd') }),
  );
  await pass();
  expect(heard).toEqual([]);
  Object.assign(agent.hard, { stopAnnounced: 'session ended: clear' });
  await pass();
  await pass();
  expect(heard).toEqual([{ kind: 'stopped', reason: 'session ended: clear' }]);
  expect(sensed).toEqual([]);
});

test('an end that was announced in the middle of a turn is no crash', async () => {
  const { sensed, pass, living, agent } = world();
  says('busy');
  await pass();
  Object.assign(agent.hard, { turnSince: 1, stopAnnounced: 'session ended: other' });
  living.clear();
  await pass();
  await pass();
  expect(sensed).toEqual([{ kind: 'stopped', reason: 'session ended: other' }]);
});

test('killed in the middle of a call: no normal stop, and the tool that it left is reported', async () => {
  const { heard, sensed, left, pass, living, agent } = world();
  says('busy');
  await pass();
  agent.hard.holds.push({ kind: 'in-tool' });
  living.delete(12_650);
  await pass();
  await pass();
  expect(heard).toEqual([]);
  expect(sensed).toMatchObject([{ kind: 'process', state: 'gone' }]);
  expect(left).toEqual([12_700]);
});

test('ended in order: the tool that it left is reported, and not before its process is gone', async () => {
  const { sensed, left, pass, living, agent } = world();
  says('busy');
  await pass();
  Object.assign(agent.hard, { end: { how: 'stopped' } });
  await pass();
  expect(left).toEqual([]);
  living.delete(12_650);
  await pass();
  await vi.waitFor(() => expect(left).toEqual([12_700]));
  expect(sensed).toEqual([]);
});

test('hooks that do not come while the status changes and there is no transcript: reported', async () => {
  const { sensed, pass, hook } = world();
  says('busy');
  for (let looks = 0; looks < 6; looks++) await pass();
  says('idle');
  await pass();
  // The hook of this turn is only late.
  hook();
  for (let looks = 0; looks < 6; looks++) await pass();
  expect(sensed).toEqual([]);
  says('busy');
  for (let looks = 0; looks < 6; looks++) await pass();
  expect(sensed).toMatchObject([
    {
      kind: 'finding',
      finding: {
        kind: 'hooks-silent',
        evidence: expect.stringContaining('it has no transcript that Holter can read'),
      },
    },
  ]);
});

test('session files that are none are reported once, with three examples, and the others are read', async () => {
  const { heard, told, pass } = world();
  for (let pid = 1; pid <= 5; pid++) execFileSync('mkfifo', [join(folder, 'sessions', `${pid}.json`)]);
  says('waiting');
  await pass();
  await pass();
  expect(heard).toEqual([{ kind: 'hold-begun', hold: 'waiting-for-permission' }]);
  const three = [1, 2, 3].map((pid) => `${join(folder, 'sessions', `${pid}.json`)} is a FIFO`).join('; ');
  expect(told).toEqual([`session files can't be used: ${three}, and 2 more`]);
});

test('hooks that do not come while the transcript goes on: reported, read from there, and over with a hook', async () => {
  const { heard, sensed, pass, clock, agent, hook } = world(null, false);
  says('busy');
  await pass();
  const write = transcript(clock);
  // What ended before this server was there could not be reported to it.
  write('assistant', call('early'), 0);
  write('user', result('early'), 0);
  const passUntil = (isSo: () => void) => vi.waitFor(() => pass().then(isSo), { timeout: 10_000 });
  await passUntil(() => expect(heard).toMatchObject([{ kind: 'call-ended', callId: 'early' }]));
  for (let looks = 0; looks < 8; looks++) await pass();
  expect(sensed).toEqual([]);
  write('assistant', call('one'));
  write('user', result('one'));
  await passUntil(() =>
    expect(sensed).toMatchObject([{ kind: 'finding', finding: { kind: 'hooks-silent', severity: 'warn' } }]),
  );
  expect(heard.splice(0)).toMatchObject([{ callId: 'early' }, { kind: 'call-ended', callId: 'one' }]);
  write('assistant', call('two'));
  await passUntil(() => expect(heard).toMatchObject([{ kind: 'call-begun', callId: 'two' }]));
  agent.hard.points.push({ kind: 'hooks-silent' });
  hook();
  expect(sensed.slice(1)).toEqual([{ kind: 'finding-cleared', findingKind: 'hooks-silent' }]);
});

test('hooks that an earlier server heard say nothing about those that do not come now', async () => {
  rmSync(join(folder, 'projects'), { recursive: true, force: true });
  const { heard, sensed, pass, clock, agent } = world(null, false);
  says('busy');
  await pass();
  const write = transcript(clock);
  const passUntil = (isSo: () => void) => vi.waitFor(() => pass().then(isSo), { timeout: 10_000 });
  write('assistant', call('first'), 0);
  write('user', result('first'), 0);
  await passUntil(() => expect(heard).toMatchObject([{ kind: 'call-ended', callId: 'first' }]));
  agent.hard.seen.push(hashText('call-begun early'));
  for (const [n, id] of ['early', 'one'].entries()) {
    write('assistant', call(id), clock.now() + n);
    write('user', result(id), clock.now() + n);
  }
  await passUntil(() => expect(sensed).toMatchObject([{ finding: { kind: 'hooks-silent' } }]));
});

test('an earlier server that died before it read the transcript: the calls of this incarnation are read', async () => {
  const { heard, pass, clock, agent, hook } = world(null, false);
  says('busy');
  const write = transcript(clock);
  const registered = clock.now() - 60_000;
  agent.hard.startedAt = instant(registered);
  write('assistant', call('of-the-incarnation-before'), registered - 2);
  write('user', result('of-the-incarnation-before'), registered - 1);
  write('assistant', call('unread'), registered + 1);
  write('user', result('unread'), registered + 2);
  hook();
  await vi.waitFor(() => pass().then(() => expect(heard).not.toEqual([])), { timeout: 10_000 });
  expect(heard).toMatchObject([{ kind: 'call-ended', callId: 'unread' }]);
});
