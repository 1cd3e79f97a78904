import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@holter/server/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { decide, failing, frozen, openDecision, openStage, owned, type Stage } from './kit.ts';
import { type StepsRun, startSteps } from './steps-run.ts';

let stage: Stage;
/** All tests share one log-in. */
let page: Page;
/** These runs save their steps while other tests run. */
const runs = new Map<string, StepsRun>();
const run = (agentId: string): StepsRun => runs.get(agentId) as StepsRun;

beforeAll(async () => {
  if (!browserPath) return;
  stage = await openStage(browserPath);
  page = await stage.open();
  for (const agentId of ['kim', 'lea', 'max', 'nia']) runs.set(agentId, startSteps(stage, agentId));
});
afterAll(async () => {
  for (const { end } of runs.values()) await end();
  await stage?.close();
});

describe.runIf(browserPath)('what a person does in the page reaches an agent that calls in', () => {
  const agent = (agentId: string) => stage.operator.agent(agentId);
  const kind = 'unrecoverable-error';

  it('nudge: the words are in the reply to its next heartbeat', async () => {
    const words = { agentId: 'ada', instanceId: 'i', can: ['nudge' as const], promises: {} };
    const { token } = await stage.operator.register(words);
    await page.goto(`${stage.holter.url}/agents/ada`);
    const more = () => page.getByLabel('Message').fill('please look at the build');
    expect(await decide(page, 'Nudge', { more })).toContain('Nothing is stopped');
    const itself = createClient({ url: stage.holter.url, token });
    const beat = async () => (await itself.heartbeat('ada')).directives;
    await expect.poll(beat).toMatchObject([{ type: 'nudge', message: 'Holter: please look at the build' }]);
    await expect.poll(() => page.locator('.events').textContent()).toContain('nudge sent');
  });

  it('pause and resume: its clocks stand still, and go on', async () => {
    await stage.operator.register(owned('bob'));
    await page.goto(`${stage.holter.url}/agents/bob`);
    await decide(page, 'Pause monitoring');
    await expect.poll(() => page.locator('.facts').textContent()).toContain('monitoring paused');
    expect((await agent('bob')).holds).toMatchObject([{ kind: 'paused-by-operator' }]);
    await decide(page, 'Resume monitoring');
    await expect.poll(async () => (await agent('bob')).holds).toEqual([]);
  });

  it('snooze: the ladder pauses until the snooze ends', async () => {
    await stage.operator.register(owned('cal'));
    await stage.operator.signal('cal', failing);
    await page.goto(`${stage.holter.url}/agents/cal`);
    const more = async () => {
      await page.getByLabel('For how long').selectOption('60');
    };
    expect(await decide(page, 'Snooze', { more })).toContain('The ladder pauses');
    await expect.poll(() => page.locator('main').textContent()).toMatch(/Snoozed for (1 h|59 min)/);
    expect((await agent('cal')).incident?.next.why).toBe('snoozed');
    await decide(page, 'End snooze');
    await expect.poll(async () => (await agent('cal')).quiet).toBeNull();
    await expect.poll(async () => (await agent('cal')).incident?.phase).toBe('waiting');
  });

  it('snooze one finding: it stays visible and does nothing, and may be woken', async () => {
    await stage.operator.register(owned('dan'));
    await stage.operator.signal('dan', failing);
    await page.goto(`${stage.holter.url}/agents/dan`);
    const button = 'Snooze: unrecoverable error';
    expect(await decide(page, 'Snooze', { button })).toContain('act as before');
    await expect.poll(() => page.locator('.findings').textContent()).toMatch(/Snoozed for (15|14) min/);
    const quiet = await agent('dan');
    expect(quiet.findings).toMatchObject([{ kind, severity: 'act' }]);
    expect(quiet.quietFindings).toMatchObject([{ kind, reason: 'a test says so' }]);
    expect(quiet.incident?.next.step).toBe('close');
    await decide(page, 'End snooze', { button: 'End snooze: unrecoverable error' });
    await expect.poll(async () => (await agent('dan')).incident?.next.step).not.toBe('close');
    expect((await agent('dan')).quietFindings).toEqual([]);
  });

  it('false alarm: the finding goes, and the history counts it', async () => {
    await stage.operator.register(owned('eva'));
    await stage.operator.signal('eva', failing);
    await page.goto(`${stage.holter.url}/agents/eva`);
    await decide(page, 'False alarm', { button: 'False alarm: unrecoverable error' });
    await expect.poll(async () => (await agent('eva')).findings).toEqual([]);
    await expect.poll(() => page.locator('.findings').textContent()).toContain('resolved');
    await page.goto(`${stage.holter.url}/history`);
    await expect.poll(() => page.locator('.tiles').textContent()).toContain('1False alarms');
  });

  it('acknowledge: the inbox says who has seen it, and its notices are gone', async () => {
    for (const agentId of ['fay', 'gil']) {
      await stage.operator.register(owned(agentId));
      await stage.operator.signal(agentId, failing);
      await stage.operator.signal(agentId, frozen());
    }
    await page.goto(`${stage.holter.url}/incidents`);
    const waiting = page.locator('.inbox > li');
    const fay = waiting.filter({ has: page.getByRole('link', { name: 'fay' }) });
    // The page that shows the notice does not say that it is unread.
    await expect.poll(() => fay.textContent()).toContain('terminates in');
    await openDecision(fay, 'Acknowledge');
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('.preview').textContent()).toContain('The ladder goes on');
    await dialog.getByLabel('Reason').fill('I am on it');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await expect.poll(() => fay.textContent()).toContain('acknowledged by');
    expect(await fay.textContent()).toContain('I am on it');
    expect(await fay.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
    // Unacknowledged incidents are listed before it.
    await expect.poll(() => waiting.last().textContent()).toContain('fay');
    expect((await agent('fay')).incident).toMatchObject({
      acknowledged: { reason: 'I am on it' },
      next: { step: 'terminate' },
    });
    expect((await stage.operator.incidents()).notices).toEqual([]);
  });

  it("don't restart: what has crashed stays down, and is no false alarm", async () => {
    const wrongs = async () => {
      const response = await page.request.get(`${stage.holter.url}/v1/history`);
      return ((await response.json()) as { days: { wrong: number }[] }).days.at(-1)?.wrong;
    };
    await stage.operator.register(owned('jan'));
    await stage.operator.signal('jan', { kind: 'exited', code: 1, incarnation: 1 });
    expect((await agent('jan')).incident?.step).toBe('recover');
    await page.goto(`${stage.holter.url}/agents/jan`);
    const before = await wrongs();
    await decide(page, "Don't restart");
    expect(await agent('jan')).toMatchObject({ incident: null, state: 'TERMINATED' });
    expect(await wrongs()).toBe(before);
  });

  it('isolate and reset a breaker: the agent is refused, and then permitted', async () => {
    await stage.operator.register(owned('hal'));
    const ask = async () => (await stage.operator.tellBreaker('hal', 'external_api', 'acquire', {})).answers;
    expect(await ask()).toMatchObject([{ kind: 'permit' }]);
    await stage.operator.tellBreaker('hal', 'external_api', 'failure', { generation: 0, permitId: 0 });
    await page.goto(`${stage.holter.url}/agents/hal`);
    await decide(page, 'Isolate');
    await expect.poll(() => page.locator('.breakers').textContent()).toContain('a test says so');
    expect(await ask()).toMatchObject([{ kind: 'refused', because: 'isolated' }]);
    await decide(page, 'Reset');
    await expect.poll(() => page.locator('.breakers').textContent()).toContain('closed');
    expect(await ask()).toMatchObject([{ kind: 'permit' }]);
  });

  it('shows in the dialog what the server refuses', async () => {
    await stage.operator.register(owned('ian'));
    await stage.operator.signal('ian', failing);
    await page.goto(`${stage.holter.url}/agents/ian`);
    await openDecision(page, 'Acknowledge');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('mine');
    await stage.operator.wrong('ian', { reason: 'somebody was faster' });
    await stage.operator.signal('ian', { kind: 'stopped', reason: 'done', incarnation: 1 });
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await expect.poll(() => dialog.getByRole('alert').textContent()).toContain('that incident is not open');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
  });
});

describe.runIf(browserPath)('what a person does in the page reaches a command that Holter runs', () => {
  it('restart: it is stopped, and its successor goes on from the newest step', async () => {
    await run('kim').saved();
    await page.goto(`${stage.holter.url}/agents/kim`);
    expect(await decide(page, 'Restart')).toContain('newest valid checkpoint');
    await expect.poll(run('kim').said, { timeout: 20_000 }).toContain('attempt 1 from step 3');
    await expect.poll(() => page.locator('.events').textContent()).toContain('restart 1 ordered');
    expect(await stage.operator.agent('kim')).toMatchObject({ incarnation: 2, end: null });
  });

  it('restart from a chosen checkpoint: its successor starts there, and from no other', async () => {
    await run('lea').saved();
    const { checkpoints } = await stage.operator.checkpoints('lea');
    const first = checkpoints.at(-1)?.checkpointId ?? '';
    await page.goto(`${stage.holter.url}/agents/lea`);
    const preview = await decide(page, 'Restart from here', { button: `Restart from here: ${first}` });
    expect(preview).toContain(`starts from ${first}, and from no other. 2 newer ones are passed over.`);
    await expect.poll(run('lea').said, { timeout: 20_000 }).toContain('attempt 1 from step 1');
    const { events } = await stage.operator.events({ agentId: 'lea', type: 'RECOVERY_INITIATED' });
    expect(events.map(({ payload }) => payload)).toMatchObject([{ fromCheckpoint: first, attempt: 1 }]);
    await expect
      .poll(() => page.locator('.events').textContent())
      .toContain(`restart 1 ordered, from ${first}`);
  });

  it('restart from a checkpoint that has rotted: nothing else is taken, and a person is asked again', async () => {
    await run('nia').saved();
    const { checkpoints } = await stage.operator.checkpoints('nia');
    const first = checkpoints.at(-1);
    const { sha256 } = (first?.content ?? { sha256: '' }) as { sha256: string };
    writeFileSync(join(stage.folder, 'data', 'runs', 'nia', 'checkpoints', sha256), 'rotten');
    await page.goto(`${stage.holter.url}/agents/nia`);
    await decide(page, 'Restart from here', { button: `Restart from here: ${first?.checkpointId}` });
    const ladder = page.locator('.ladder [aria-current]');
    await expect.poll(() => ladder.textContent(), { timeout: 20_000 }).toContain('waiting for you');
    await expect.poll(() => page.locator('.events').textContent()).toContain('its bytes have changed');
    expect(run('nia').said()).not.toContain('attempt 1');
  });

  it('force handoff: it writes its note, is stopped, and a successor takes over', async () => {
    await run('max').saved();
    await stage.operator.signal('max', failing);
    await page.goto(`${stage.holter.url}/agents/max`);
    expect(await decide(page, 'Force handoff')).toContain('asked for a handoff note');
    await expect.poll(run('max').said, { timeout: 20_000 }).toContain('wrote a note');
    await expect.poll(run('max').said, { timeout: 20_000 }).toContain('attempt 1 from step 3');
  });
});
