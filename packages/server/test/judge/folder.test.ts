import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyRecorded, judgeWorld, MINUTE, RECORDED, T0 } from './kit.ts';

const { session = '' } = RECORDED.warning ?? {};
const stateOf = (folder: string): string => join(folder, 'sessions', session, 'state.json');
const logOf = (folder: string): string => join(folder, 'sessions', session, 'logs/tool_logs.jsonl');

/** A file keeps its age when its content changes. */
function rewrite(file: string, content: string, at: number = T0): void {
  writeFileSync(file, content);
  utimesSync(file, at / 1_000, at / 1_000);
}

function recordedWith(name: string, fields: object): string {
  const folder = copyRecorded(name);
  const state = JSON.parse(readFileSync(stateOf(folder), 'utf8')) as object;
  const age = (RECORDED[name]?.minutesAgo[session] ?? 0) * MINUTE;
  rewrite(stateOf(folder), JSON.stringify({ ...state, ...fields }), T0 - age);
  return folder;
}

describe('a session that does not move', () => {
  const hour = 60;

  it('is stalled, and not over, for as long as its process runs', async () => {
    const folders = [recordedWith('stall', { pid: 42 })];
    const startOf = (pid: number) => (pid === 42 ? T0 - 3 * hour * MINUTE : null);
    const { round, tickets, engine } = await judgeWorld({}, { folders, startOf });
    await round();
    await round(2);
    for (let hours = 0; hours < 12; hours += 1) await round(hour);
    expect(await tickets()).toMatchObject([{ condition: 'stall', severity: 'critical', status: 'asking' }]);
    expect((await engine.read('stall'))?.hard.end).toBeUndefined();
  });

  it.each([
    ['gone', () => null],
    ['another one with its pid', () => T0 + 30 * MINUTE],
  ])('is over when its process is %s', async (_which, later) => {
    let startOf: () => number | null = () => T0 - hour * MINUTE;
    const folders = [recordedWith('stall', { pid: 42 })];
    const { round, tickets, engine } = await judgeWorld({}, { folders, startOf: () => startOf() });
    await round();
    await round(2);
    startOf = later;
    await round(2);
    expect(await tickets()).toMatchObject([{ status: 'resolved' }]);
    expect((await engine.read('stall'))?.hard.end).toBeDefined();
  });

  it('and names no process is over after an hour', async () => {
    const { round, engine } = await judgeWorld({}, { folders: [copyRecorded('stall')] });
    await round(40);
    expect((await engine.read('stall'))?.hard.end).toBeUndefined();
    await round(30);
    expect((await engine.read('stall'))?.hard.end).toBeDefined();
  });

  it('and waits for a person is not over, overnight, with or without a process', async () => {
    for (const fields of [{}, { pid: 42 }]) {
      const folders = [recordedWith('waiting', fields)];
      const { round, tickets, engine } = await judgeWorld({}, { folders, startOf: () => T0 - 60 * MINUTE });
      for (let hours = 0; hours < 14; hours += 1) await round(hour);
      expect((await engine.read('waiting'))?.hard.end).toBeUndefined();
      expect(await tickets()).toEqual([]);
    }
  });
});

describe('what an agent puts in the place of its files', () => {
  it.each([
    ['a FIFO', (file: string) => void execFileSync('mkfifo', [file]), 'is a FIFO'],
    ['half of it', (file: string) => writeFileSync(file, '{"status": "acti'), 'has no status'],
  ])('%s instead of its state is reported, and does not end it', async (_what, put, because) => {
    const folder = copyRecorded('high');
    const { round, tickets, engine, judge } = await judgeWorld({}, { folders: [folder] });
    await round();
    await round(2);
    const state = stateOf(folder);
    renameSync(state, `${state}.away`);
    put(state);
    for (let rounds = 0; rounds < 3; rounds += 1) await round(0.1);
    const agent = await engine.read('high');
    expect(agent?.hard.end).toBeUndefined();
    expect(agent?.hard.points).toContainEqual(
      expect.objectContaining({
        kind: 'file-unusable',
        evidence: expect.stringContaining(`state.json of ${session} ${because}`),
      }),
    );
    expect(await tickets()).toMatchObject([{ severity: 'high', status: 'asking' }]);
    expect(agent && judge.summaryOf(agent).total_steps).toBeGreaterThan(0);
    rmSync(state);
    renameSync(`${state}.away`, state);
    await round(2);
    const kinds = (await engine.read('high'))?.hard.points.map(({ kind }) => kind);
    expect(kinds).not.toContain('file-unusable');
  });

  it('a server that starts while a FIFO is there ends nothing either', async () => {
    const folder = copyRecorded('high');
    const world = await judgeWorld({}, { folders: [folder] });
    await world.round();
    rmSync(stateOf(folder));
    execFileSync('mkfifo', [stateOf(folder)]);
    const { FolderSessions } = await import('../../src/judge/folder-sessions.ts');
    const { engine, intake, now } = world;
    const fresh = new FolderSessions({ engine, intake, clock: { now }, wallNow: now, warn: () => undefined });
    expect(await fresh.look([folder], '/')).toEqual([]);
    const { end, points } = (await engine.read('high'))?.hard ?? {};
    expect([end, points]).toMatchObject([undefined, [{ kind: 'file-unusable' }]]);
  });

  it('a FIFO instead of its log is reported, and its stall goes on', async () => {
    const folder = recordedWith('stall', { pid: 42 });
    const startOf = () => T0 - 60 * MINUTE;
    const { round, tickets, engine } = await judgeWorld({}, { folders: [folder], startOf });
    await round();
    rmSync(logOf(folder));
    execFileSync('mkfifo', [logOf(folder)]);
    await round(2);
    expect(await tickets()).toMatchObject([{ condition: 'stall', status: 'asking' }]);
    expect((await engine.read('stall'))?.hard.points).toContainEqual(
      expect.objectContaining({ evidence: expect.stringContaining('tool_logs.jsonl') }),
    );
  });
});

describe('secrets in a log of steps', () => {
  const KEY = `sk-ant-api03-${'Ab3'.repeat(30)}`;

  /** Each step of the folder, changed. */
  function stepsWith(name: string, change: (step: Step) => object): string {
    const folder = copyRecorded(name);
    const lines = readFileSync(logOf(folder), 'utf8').trim().split('\n');
    const changed = lines.map((line) => JSON.stringify(change(JSON.parse(line) as Step)));
    rewrite(logOf(folder), `${changed.join('\n')}\n`);
    return folder;
  }
  type Step = { readonly llm_text: string; readonly tool_calls: readonly object[] };

  const world = async (folder: string) => {
    const made = await judgeWorld({}, { folders: [folder] });
    await made.round();
    await made.round(2);
    const agent = await made.engine.read('loop');
    const events = await made.store.readEvents({ after: 0, limit: 1_000 });
    return JSON.stringify([await made.judge.tickets.list(), events, agent, agent && made.judge.check(agent)]);
  };

  it('are in no ticket, event, summary or check', async () => {
    const everything = await world(
      stepsWith('loop', (step) => ({
        ...step,
        llm_text: `The key is ${KEY}.`,
        tool_calls: step.tool_calls.map((call) => ({
          ...call,
          tool_input: { command: `curl -H "x-api-key: ${KEY}" https://example.org` },
          result: `export ANTHROPIC_API_KEY=${KEY}`,
        })),
      })),
    );
    expect(everything).toContain('medium');
    expect(everything).not.toContain(KEY.slice(13, 60));
  });

  it('are not cut in halves that nothing recognizes', async () => {
    for (const before of [100, 600, 1_950, 16_300, 70_000])
      for (const after of [150, 480, 1_990, 16_380]) {
        // Blanks at the end are not kept, so what stands before them comes close to a cut.
        const text = `${'a '.repeat(before / 2)}password: ${KEY}\n${' '.repeat(after)}`;
        const everything = await world(
          stepsWith('loop', (step) => ({
            ...step,
            llm_text: text,
            tool_calls: step.tool_calls.map((call) => ({ ...call, result: text })),
          })),
        );
        expect(everything).not.toContain('Ab3Ab3');
      }
  });
});
