import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEcos } from '../../src/ecos/ecos.ts';
import { type Ecos, EcosKeeper, readEcosEdits } from '../../src/ecos/index.ts';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { isToolThere } from '../tool-there.ts';
import { until } from '../until.ts';

const seed = readFileSync(new URL('../fixtures/mail/seed-001.txt', import.meta.url), 'utf8');

let server: TestServer;
let project: string;
let ecos: Ecos | null;
let fire: () => void;
let said: string[];

beforeEach(async () => {
  server = await startHttp({ clock: stillClock() });
  project = mkdtempSync(join(tmpdir(), 'holter-ecos-'));
  said = [];
});
afterEach(async () => {
  await ecos?.stop();
  await server.stop();
  rmSync(project, { recursive: true, force: true });
});

const section = () => join(project, '.ecos', 'agent-health');
const at = (name: string) => join(section(), name);
const text = (name: string) => readFileSync(at(name), 'utf8');
const json = (name: string) => JSON.parse(text(name)) as Record<string, never>;

/** Writes only when it is told to. */
async function start(): Promise<void> {
  const after = (_ms: number, callback: () => void) => {
    fire = callback;
    return () => undefined;
  };
  const clock = { now: () => server.clock.now(), after };
  const { engine, store } = server;
  ecos = await startEcos({ engine, store, clock, folder: project, warn: (message) => said.push(message) });
}

async function write(): Promise<void> {
  const before = fire;
  // Longer than it waits for beats, and for saying the same again.
  server.clock.skip(61_000);
  before();
  await until('the files are written', () => fire !== before);
}

const register = (agentId: string) =>
  server.client(server.tokens.enroll).register({
    agentId,
    instanceId: 'i',
    role: 'active-development',
    promises: { beatEverySeconds: 3_600 },
  });
const assign = (agentId: string, taskId: string, more: object = {}) =>
  server.operator.task(agentId, { status: 'assigned', taskId, ...more });

describe.runIf(await isToolThere('jq'))('the jq command of seed 001, as printed', () => {
  const [query] = [...seed.matchAll(/```bash\n([\s\S]*?)```/g)]
    .map(([, block = '']) => block)
    .filter((block) => block.includes('task-tracking.json'));

  it('finds the tasks that Holter calls stalled, and no other', async () => {
    await register('ada');
    await register('bob');
    const soon = { expectedInSeconds: 60 };
    for (const id of ['stalled', 'told', 'explained', 'finished']) await assign('ada', id, soon);
    await assign('ada', 'endless');
    await assign('bob', 'later', { expectedInSeconds: 7_200 });
    await assign('bob', 'stalled too', { ...soon, description: 'Implement "bounding box" calculation' });
    await start();
    await server.pass(20 * 60);
    await server.operator.task('ada', { status: 'updated', taskId: 'told', percent: 40 });
    await server.operator.task('ada', { status: 'updated', taskId: 'explained', note: 'slow disk' });
    await server.operator.task('ada', { status: 'done', taskId: 'finished' });
    await server.pass(10 * 60 + 5);
    await write();
    const now = `${new Date(server.clock.now()).toISOString().slice(0, 19)}Z`;
    const script = (query ?? '').replace('$(date -u +%Y-%m-%dT%H:%M:%SZ)', now);
    expect(script).toContain(now);
    const env = { ...process.env, CLAUDE_PROJECT_DIR: project };
    const out = execFileSync('bash', ['-euc', `${script.trimEnd()} | jq -s -c 'map(.task_id)'`], { env });
    const { tasks } = await server.operator.tasks({ status: 'stalled' });
    expect(tasks.map(({ taskId }) => taskId)).toEqual(['stalled', 'stalled too']);
    expect(JSON.parse(out.toString())).toEqual(tasks.map(({ taskId }) => taskId));
  });
});

it('shows agents, tasks and incidents as seed 001 writes them', async () => {
  const { token } = await register('ada');
  const ada = server.client(token);
  await assign('ada', 'T-1', { description: 'Draw', expectedAt: '2026-12-24T18:00:00Z' });
  await assign('ada', 'T-2');
  await start();
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(json('heartbeat-config.json')).toMatchObject({
    agents: {
      ada: {
        role: 'active-development',
        interval_seconds: 3_600,
        missed_threshold: 3,
        // It has registered, and was never heard.
        last_heartbeat: '9999-12-31T23:59:59Z',
        consecutive_missed: 0,
      },
    },
  });
  const common = { agent: 'ada', assigned_at: time, last_progress_update: time, progress_percentage: 0 };
  expect(json('task-tracking.json').tasks).toEqual([
    {
      ...common,
      task_id: 'T-2',
      description: '',
      expected_completion: '9999-12-31T23:59:59Z',
      status: 'in_progress',
    },
    {
      ...common,
      task_id: 'T-1',
      description: 'Draw',
      expected_completion: '2026-12-24T18:00:00Z',
      status: 'in_progress',
    },
  ]);
  expect(text('incident-log.jsonl')).toBe('');
  await ada.signal('ada', {
    kind: 'task-updated',
    taskId: 'T-1',
    percent: 60,
    cannotContinue: true,
    note: 'no access',
  });
  await server.operator.task('ada', { status: 'done', taskId: 'T-2' });
  await write();
  expect(json('task-tracking.json').tasks).toMatchObject([
    { task_id: 'T-1', progress_percentage: 60 },
    { task_id: 'T-2', status: 'completed' },
  ]);
  expect(JSON.parse(text('incident-log.jsonl'))).toMatchObject({
    incident_id: 'ada/1',
    agent: 'ada',
    failure_type: 'recoverable',
    detection_method: 'holter: unrecoverable-error',
    classification_reasoning: 'it says that it cannot go on with its task T-1: no access',
    failure_cause: 'says that it cannot go on with its task T-1: no access',
    recovery_action: 'escalate',
    recovery_result: 'pending_approval',
    escalated_to: 'operator',
  });
  // The next start knows the same.
  await ecos?.stop();
  const log = text('incident-log.jsonl');
  await start();
  expect(text('incident-log.jsonl')).toBe(log);
  expect(said).toEqual([]);
});

it('believes no edit: it is reported, kept beside, and written again', async () => {
  await register('ada');
  await assign('ada', 'T-1');
  await start();
  const good = json('task-tracking.json').tasks;
  const edited = text('task-tracking.json').replace('in_progress', 'completed');
  writeFileSync(at('task-tracking.json'), edited);
  rmSync(at('heartbeat-config.json'));
  await write();
  expect(json('task-tracking.json').tasks).toEqual(good);
  expect(text('task-tracking.json.edited')).toBe(edited);
  expect(existsSync(at('heartbeat-config.json'))).toBe(true);
  expect(said).toEqual([
    expect.stringContaining('heartbeat-config.json was removed: it is written again'),
    expect.stringContaining('task-tracking.json was changed and is kept as task-tracking.json.edited'),
  ]);
  expect((await server.operator.tasks()).tasks).toHaveLength(1);
  expect((await readEcosEdits(project)).tasks).toMatchObject([{ taskId: 'T-1', status: 'done' }]);
  // Also while the server does not run.
  await ecos?.stop();
  writeFileSync(at('task-tracking.json'), '{"tasks": []}');
  await start();
  expect(text('task-tracking.json.edited')).toBe('{"tasks": []}');
  expect(said).toHaveLength(3);
  // And what ECOS itself wrote before Holter came is not lost.
  await ecos?.stop();
  writeFileSync(at('incident-log.jsonl'), '{"incident_id":"old"}\n');
  await start();
  expect(text('incident-log.jsonl.edited')).toContain('old');
});

it('is not hurt by what an agent puts in the place of a file', async () => {
  await register('ada');
  await start();
  const outside = join(project, 'outside');
  writeFileSync(outside, 'precious');
  rmSync(at('heartbeat-config.json'));
  symlinkSync(outside, at('heartbeat-config.json'));
  rmSync(at('task-tracking.json'));
  execFileSync('mkfifo', [at('task-tracking.json')]);
  truncateSync(at('incident-log.jsonl'), 10 * 1024 ** 3);
  await write();
  for (const name of ['heartbeat-config.json', 'task-tracking.json', 'incident-log.jsonl'])
    expect(lstatSync(at(name)).isFile() && lstatSync(at(name)).size < 10_000).toBe(true);
  expect(readFileSync(outside, 'utf8')).toBe('precious');
  expect(said).toEqual([
    expect.stringContaining('is a symbolic link'),
    expect.stringContaining('is a FIFO'),
    expect.stringContaining('is too large'),
  ]);
  // A directory can't be replaced by a file: that is said, and nothing else happens.
  rmSync(at('task-tracking.json'));
  mkdirSync(join(at('task-tracking.json'), 'deep'), { recursive: true });
  await write();
  expect(ecos?.trouble()).toContain('task-tracking.json');
  rmSync(at('task-tracking.json'), { recursive: true });
  await write();
  expect(ecos?.trouble()).toBeNull();
});

it('follows no link out of the project', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'holter-elsewhere-'));
  await start();
  rmSync(join(project, '.ecos'), { recursive: true });
  symlinkSync(elsewhere, join(project, '.ecos'));
  await write();
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(ecos?.trouble()).toContain('lies in a folder that is a symbolic link');
  await ecos?.stop();
  ecos = null;
  await expect(start()).rejects.toThrow('is a symbolic link');
  rmSync(elsewhere, { recursive: true });
  project = join(project, 'nowhere');
  await expect(start()).rejects.toThrow('is no folder');
});

it('moves to another folder when the configuration changes, and stays if that one can not be written', async () => {
  const other = mkdtempSync(join(tmpdir(), 'holter-ecos-'));
  const { engine, store, clock } = server;
  const keeper = new EcosKeeper({ engine, store, clock, warn: (message) => said.push(message) });
  const has = (folder: string) => existsSync(join(folder, '.ecos/agent-health/task-tracking.json'));
  await keeper.set(project);
  expect([keeper.current?.folder, has(project), has(other)]).toEqual([project, true, false]);
  await keeper.set(other);
  expect([keeper.current?.folder, has(other)]).toEqual([other, true]);
  await expect(keeper.set(join(other, 'nowhere'))).rejects.toThrow('is no folder');
  expect(keeper.current?.folder).toBe(other);
  await keeper.set(null);
  expect(keeper.current).toBeNull();
  rmSync(other, { recursive: true });
});

it('says what is wrong in a file that is imported, and takes the rest', async () => {
  mkdirSync(section(), { recursive: true });
  const fine = {
    task_id: 'T-1',
    agent: 'ada',
    status: 'in_progress',
    expected_completion: '2026-12-24T18:00:00Z',
  };
  writeFileSync(at('task-tracking.json'), JSON.stringify({ tasks: [fine, { ...fine, status: 'odd' }, 7] }));
  writeFileSync(at('heartbeat-config.json'), '[1]');
  const edits = await readEcosEdits(project);
  expect(edits.tasks).toMatchObject([{ taskId: 'T-1', agentId: 'ada', expectedAt: '2026-12-24T18:00:00Z' }]);
  expect(edits.problems).toHaveLength(3);
  rmSync(at('heartbeat-config.json'));
  execFileSync('mkfifo', [at('heartbeat-config.json')]);
  expect((await readEcosEdits(join(project, '.ecos'))).problems).toContainEqual(
    expect.stringContaining('is a FIFO'),
  );
});
