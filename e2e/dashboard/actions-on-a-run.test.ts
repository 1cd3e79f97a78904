import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../packages/server/test/until.ts';
import { bin, cleanEnvironment } from '../holter-process.ts';
import { browserPath, type Page } from './browser.ts';
import { act, failing, openStage, type Stage } from './kit.ts';

const fixture = join(dirname(fileURLToPath(import.meta.url)), 'fixtures', 'steps.mjs');

describe.runIf(browserPath)('what a person does in the page reaches a command that Holter runs', () => {
  let stage: Stage;
  let page: Page;
  const children: ChildProcess[] = [];
  const said = new Map<string, string>();
  beforeAll(async () => {
    stage = await openStage(browserPath);
    page = await stage.open();
    await Promise.all(['ada', 'bob', 'cal'].map(run));
  });
  afterAll(async () => {
    const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = Promise.all(running.map((child) => once(child, 'exit')));
    for (const child of running) child.kill('SIGTERM');
    await ended;
    await stage?.close();
  });

  const saidBy = (agentId: string) => () => said.get(agentId) ?? '';

  /** A real run of a command, until it has saved its three steps. */
  async function run(agentId: string): Promise<void> {
    const options = ['--agent', agentId, '--task', 'walk', '--look-every', '200ms'];
    const file = ['--checkpoint-file', `${agentId}.json`];
    const words = [bin, 'run', ...options, ...file, '--', process.execPath, fixture];
    const env = cleanEnvironment(stage.folder);
    const child = spawn(process.execPath, words, { cwd: stage.folder, env });
    children.push(child);
    child.stdout.on('data', (chunk: Buffer) => said.set(agentId, saidBy(agentId)() + chunk.toString()));
    const hasSaved = async (): Promise<boolean> =>
      (await stage.operator.checkpoints(agentId).catch(() => null))?.checkpoints.length === 3;
    await until(`${agentId} has saved its steps`, hasSaved, 30_000);
  }

  it('terminate and recover: it is stopped, and its successor goes on from the newest step', async () => {
    await page.goto(`${stage.holter.url}/agents/ada`);
    expect(await act(page, 'Terminate and recover')).toContain('newest valid checkpoint');
    await expect.poll(saidBy('ada'), { timeout: 20_000 }).toContain('attempt 1 from step 3');
    await expect.poll(() => page.locator('.events').textContent()).toContain('recovery completed');
    expect(await stage.operator.agent('ada')).toMatchObject({ incarnation: 2, end: null });
  });

  it('recover from a chosen checkpoint: its successor starts there, and from no other', async () => {
    const { checkpoints } = await stage.operator.checkpoints('bob');
    const first = checkpoints.at(-1)?.checkpointId ?? '';
    await page.goto(`${stage.holter.url}/agents/bob`);
    const preview = await act(page, 'Recover from here', { button: `Recover from here: ${first}` });
    expect(preview).toContain(`starts from ${first}, and from no other. 2 newer ones are passed over.`);
    await expect.poll(saidBy('bob'), { timeout: 20_000 }).toContain('attempt 1 from step 1');
    const { events } = await stage.operator.events({ agentId: 'bob', type: 'RECOVERY_INITIATED' });
    expect(events.map(({ payload }) => payload)).toMatchObject([{ fromCheckpoint: first, attempt: 1 }]);
    await expect.poll(() => page.locator('.events').textContent()).toContain(`fromCheckpoint: ${first}`);
  });

  it('force handoff: it writes its note, is stopped, and a successor takes over', async () => {
    await stage.operator.signal('cal', failing);
    await page.goto(`${stage.holter.url}/incidents`);
    await page.getByRole('link', { name: 'cal' }).waitFor();
    expect(await act(page, 'Force handoff')).toContain('asked for a handoff note');
    await expect.poll(saidBy('cal'), { timeout: 20_000 }).toContain('wrote a note');
    await expect.poll(saidBy('cal'), { timeout: 20_000 }).toContain('attempt 1 from step 3');
  });
});
