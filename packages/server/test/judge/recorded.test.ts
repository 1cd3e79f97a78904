import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyRecorded, judgeWorld, MINUTE, RECORDED, T0 } from './kit.ts';

const logOf = (folder: string, session: string): string =>
  join(folder, 'sessions', session, 'logs/tool_logs.jsonl');
const stamp = (file: string, at: number): void => utimesSync(file, at / 1_000, at / 1_000);

describe('recorded sessions', () => {
  it.each(Object.entries(RECORDED))('%s', async (name, { session, ticket }) => {
    const { judge, engine, round, tickets } = await judgeWorld({}, { folders: [copyRecorded(name)] });
    await round();
    expect(await tickets()).toEqual([]);
    expect(judge.checksOf(name)).toMatchObject([{ sessionId: session, verdict: 'healthy' }]);
    for (let rounds = 0; rounds < 3; rounds += 1) await round(1);
    expect(await tickets()).toEqual(ticket ? [{ agentId: name, status: 'asking', ...ticket }] : []);
    const agent = await engine.read(name);
    expect(agent?.hard.incident?.cause).toBe(ticket ? 'ticket' : undefined);
    for (let rounds = 0; rounds < 10; rounds += 1) await round();
    expect(await tickets()).toHaveLength(ticket ? 1 : 0);
  });

  it('a ticket has what the log says, the node included', async () => {
    const { judge, round } = await judgeWorld({}, { folders: [copyRecorded('loop')] });
    await round();
    await round(2);
    const [booked] = await judge.tickets.list();
    expect(booked?.ticket).toMatchObject({
      worker_agent_id: 'loop',
      worker_session_id: RECORDED.loop?.session,
      worker_node_id: 'tester',
      worker_graph_id: 'loop',
      total_steps_checked: 22,
      steps_since_last_accept: 12,
      evidence_snippet: 'Let me run the tests again.',
    });
    expect(booked?.ticket.recent_verdicts).toHaveLength(22);
  });

  it('a confirmed stall names the two checks', async () => {
    const { judge, round } = await judgeWorld({}, { folders: [copyRecorded('stall')] });
    await round();
    await round(2);
    const [booked] = await judge.tickets.list();
    expect(booked?.ticket.judge_reasoning).toContain(
      'Last check: total_steps=11. This check: total_steps=11.',
    );
    expect(booked?.ticket.stall_minutes).toBe(8);
  });
});

describe('a folder that is watched live', () => {
  const { session = '' } = RECORDED.warning ?? {};

  it('is read on, and its ticket ends with its condition', async () => {
    const folder = copyRecorded('warning');
    const log = logOf(folder, session);
    const { round, tickets, engine, now } = await judgeWorld({}, { folders: [folder] });
    const last = JSON.parse(readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '') as object;
    const add = (verdict: string, count: number): void => {
      for (let n = 0; n < count; n += 1) appendFileSync(log, `${JSON.stringify({ ...last, verdict })}\n`);
      stamp(log, now());
    };
    await round();
    add('RETRY', 5);
    // A line that is being written does not count yet.
    appendFileSync(log, '{"node_id":"half');
    await round(2);
    expect(await tickets()).toMatchObject([{ severity: 'medium', status: 'asking' }]);
    appendFileSync(log, '"}\n');
    add('ACCEPT', 1);
    await round(2);
    expect(await tickets()).toMatchObject([{ severity: 'medium', status: 'resolved' }]);
    expect((await engine.read('warning'))?.hard.points).toEqual([]);
  });

  it('the next session is the next start of its agent, and is new to the judge', async () => {
    const folder = copyRecorded('high');
    const { round, tickets, engine, now } = await judgeWorld({}, { folders: [folder] });
    await round();
    await round(2);
    expect(await tickets()).toMatchObject([{ status: 'asking' }]);
    const state = join(folder, 'sessions', session, 'state.json');
    const before = JSON.parse(readFileSync(state, 'utf8')) as object;
    writeFileSync(state, JSON.stringify({ ...before, status: 'completed' }));
    await round(2);
    expect((await engine.read('high'))?.hard.end?.detail).toContain('completed');
    expect(await tickets()).toMatchObject([{ status: 'resolved' }]);
    const next = 'session_20260223_190000_next0001';
    const place = join(folder, 'sessions', next);
    mkdirSync(join(place, 'logs'), { recursive: true });
    writeFileSync(join(place, 'state.json'), JSON.stringify({ ...before, session_id: next }));
    writeFileSync(logOf(folder, next), readFileSync(logOf(folder, session)));
    for (const file of [join(place, 'state.json'), logOf(folder, next)]) stamp(file, now());
    await round(2);
    expect((await engine.read('high'))?.hard).toMatchObject({ incarnation: 2 });
    expect(await tickets()).toHaveLength(1);
    await round(2);
    expect(await tickets()).toHaveLength(2);
  });

  it('is not fooled by what an agent puts in place of its files', async () => {
    const folder = copyRecorded('critical');
    const log = logOf(folder, session);
    renameSync(log, `${log}.away`);
    execFileSync('mkfifo', [log]);
    const { round, tickets, judge } = await judgeWorld({}, { folders: [folder] });
    await round();
    await round(2);
    expect(judge.checksOf('critical').every(({ verdict }) => verdict === 'healthy')).toBe(true);
    rmSync(log);
    symlinkSync(`${log}.away`, log);
    await round(2);
    await round(2);
    expect(await tickets()).toEqual([]);
    const state = join(folder, 'sessions', session, 'state.json');
    writeFileSync(state, `${'['.repeat(100_000)}`);
    await round(2);
    writeFileSync(state, JSON.stringify({ status: 'active', session_id: '../../elsewhere' }));
    await round(2);
    expect(await tickets()).toEqual([]);
  });

  it('a log that is replaced is counted from its beginning', async () => {
    const folder = copyRecorded('warning');
    const log = logOf(folder, session);
    const { round, engine, judge, now } = await judgeWorld({}, { folders: [folder] });
    await round();
    const [first = ''] = readFileSync(log, 'utf8').split('\n');
    writeFileSync(`${log}.new`, `${first}\n`);
    stamp(`${log}.new`, now());
    renameSync(`${log}.new`, log);
    await round(2);
    const agent = await engine.read('warning');
    expect(agent && judge.summaryOf(agent)).toMatchObject({ total_steps: 1, steps_since_last_accept: 0 });
  });

  it('a name that another agent has is left alone, and said once', async () => {
    const { round, warnings, engine } = await judgeWorld({}, { folders: [copyRecorded('high')] });
    await engine.register({
      agentId: 'high',
      instanceId: 'mine',
      role: 'standby',
      group: 'default',
      mode: 'act',
      promises: {},
      can: ['terminate'],
      executor: null,
    });
    for (let rounds = 0; rounds < 3; rounds += 1) await round(2);
    expect(warnings).toEqual(['high is not judged from its folder: another agent has this name']);
    expect((await engine.read('high'))?.hard).toMatchObject({ incarnation: 1, mode: 'act' });
  });

  it('of two folders with the same name only the first is judged, and that is said once', async () => {
    const folders = [copyRecorded('high'), copyRecorded('high')];
    const { round, warnings, engine, tickets } = await judgeWorld({}, { folders });
    for (let rounds = 0; rounds < 3; rounds += 1) await round(0.5);
    expect(warnings).toEqual([
      `${folders[1]} is not judged: ${folders[0]} has the same name, and each folder is one agent`,
    ]);
    expect((await engine.read('high'))?.hard).toMatchObject({ incarnation: 1 });
    expect(await tickets()).toHaveLength(1);
  });

  it('a folder that is not there, or has no sessions, is quiet', async () => {
    const { round, tickets, warnings } = await judgeWorld({}, { folders: ['/nowhere/at-all', '/dev'] });
    await round();
    await round(2);
    expect([await tickets(), warnings]).toEqual([[], []]);
  });
});

describe('watched agents', () => {
  const agentOf = async (world: Awaited<ReturnType<typeof judgeWorld>>, agentId = 'ada') => {
    await world.engine.register({
      agentId,
      instanceId: 'i',
      role: 'default',
      group: 'default',
      mode: 'act',
      promises: {},
      can: ['terminate', 'spawn'],
      executor: null,
    });
    let calls = 0;
    return async (verdict: string | null): Promise<void> => {
      calls += 1;
      const about = { agentId, incarnation: 1 };
      const sender = { role: 'agent', agentId, incarnation: 1 } as const;
      const call = {
        kind: 'call-ended',
        callId: `c${calls}`,
        tool: 'look',
        input: { at: calls },
        isError: false,
      };
      await world.intake.take({ ...about, ...call, output: `new ${calls * 7}` }, sender);
      if (verdict) await world.intake.take({ ...about, kind: 'verdict', verdict }, sender);
    };
  };

  it('are judged by their verdicts, and a stall by four minutes', async () => {
    const world = await judgeWorld();
    const step = await agentOf(world);
    await step('ACCEPT');
    await world.round();
    await step('RETRY');
    await world.round(2);
    expect(await world.tickets()).toEqual([]);
    await world.round(2);
    expect(await world.tickets()).toMatchObject([
      { condition: 'stall', severity: 'critical', status: 'asking' },
    ]);
    await step('ACCEPT');
    await world.round(2);
    expect(await world.tickets()).toMatchObject([{ status: 'resolved' }]);
  });

  it('that wait are not stalled', async () => {
    const world = await judgeWorld();
    const step = await agentOf(world);
    await step('ACCEPT');
    const sender = { role: 'agent', agentId: 'ada', incarnation: 1 } as const;
    const hold = { agentId: 'ada', incarnation: 1, kind: 'hold-begun', hold: 'waiting-for-input' };
    await world.intake.take(hold, sender);
    for (let rounds = 0; rounds < 10; rounds += 1) await world.round(2);
    expect(await world.tickets()).toEqual([]);
  });

  it('without verdicts are not judged by rules', async () => {
    const world = await judgeWorld();
    const step = await agentOf(world);
    for (let steps = 0; steps < 60; steps += 1) await step(null);
    for (let rounds = 0; rounds < 10; rounds += 1) await world.round(2);
    expect(world.judge.checksOf('ada')).toEqual([]);
  });

  it('that went silent before the server started again are judged by it, and what it said is kept', async () => {
    const before = await judgeWorld();
    const step = await agentOf(before);
    await step('ACCEPT');
    await before.round();
    before.judge.stop();
    const { store } = before;
    const world = await judgeWorld({}, { store, at: T0 + 10 * MINUTE });
    await world.round();
    expect(world.judge.checksOf('ada')).toMatchObject([
      { at: T0 + 10 * MINUTE, reasoning: expect.stringContaining('First check') },
      { at: T0, reasoning: expect.stringContaining('First check') },
    ]);
    await world.round(2);
    expect(await world.tickets()).toMatchObject([{ condition: 'stall', status: 'asking' }]);
  });

  it('heard a moment ago come before a session in a folder that is still', async () => {
    const world = await judgeWorld({}, { folders: [copyRecorded('waiting')] });
    await world.round();
    expect((await world.judge.newestAtWork())?.hard.agentId).toBe('waiting');
    await (await agentOf(world))('ACCEPT');
    expect((await world.judge.newestAtWork())?.hard.agentId).toBe('ada');
  });

  it('that rest cost no check: a hundred of them for a day', async () => {
    const world = await judgeWorld({ command: ['false'] });
    const ids = Array.from({ length: 100 }, (_, n) => `idle-${n}`);
    for (const id of ids) {
      const step = await agentOf(world, id);
      await step('ACCEPT');
      const sender = { role: 'agent', agentId: id, incarnation: 1 } as const;
      await world.intake.take({ agentId: id, incarnation: 1, kind: 'turn-begun' }, sender);
      await world.intake.take({ agentId: id, incarnation: 1, kind: 'turn-ended' }, sender);
    }
    for (let rounds = 0; rounds < 720; rounds += 1) await world.round(2);
    expect(ids.map((id) => world.judge.checksOf(id).length)).toEqual(ids.map(() => 1));
    expect(await world.tickets()).toEqual([]);
    expect(world.judge.modelCalls).toBe(0);
    expect(world.now()).toBe(T0 + 24 * 60 * MINUTE);
  });
});
