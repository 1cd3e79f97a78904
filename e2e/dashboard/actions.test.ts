import { createClient } from '@holter/server/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { act, failing, openStage, owned, type Stage } from './kit.ts';

describe.runIf(browserPath)('what a person does in the page reaches an agent that calls in', () => {
  let stage: Stage;
  /** One log-in for all: what is tested here is what a click leads to. */
  let page: Page;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    page = await stage.open();
  });
  afterAll(() => stage?.close());

  const agent = (agentId: string) => stage.operator.agent(agentId);
  const kind = 'unrecoverable-error';

  it('nudge: the words are in the reply to its next heartbeat', async () => {
    const words = { agentId: 'ada', instanceId: 'i', can: ['nudge' as const], promises: {} };
    const { token } = await stage.operator.register(words);
    await page.goto(`${stage.holter.url}/agents/ada`);
    const more = () => page.getByLabel('Message').fill('please look at the build');
    expect(await act(page, 'Nudge', { more })).toContain('Nothing is stopped');
    const itself = createClient({ url: stage.holter.url, token });
    const beat = async () => (await itself.heartbeat('ada')).directives;
    await expect.poll(beat).toMatchObject([{ type: 'nudge', message: 'Holter: please look at the build' }]);
    await expect.poll(() => page.locator('.events').textContent()).toContain('nudge sent');
  });

  it('pause and resume: its clocks stand still, and go on', async () => {
    await stage.operator.register(owned('bob'));
    await page.goto(`${stage.holter.url}/agents/bob`);
    await act(page, 'Pause judging');
    await expect.poll(() => page.locator('.facts').textContent()).toContain('paused by operator');
    expect((await agent('bob')).holds).toMatchObject([{ kind: 'paused-by-operator' }]);
    await act(page, 'Resume judging');
    await expect.poll(async () => (await agent('bob')).holds).toEqual([]);
  });

  it('allow more time: the ladder stands still, until somebody wakes it', async () => {
    await stage.operator.register(owned('cal'));
    await stage.operator.signal('cal', failing);
    await page.goto(`${stage.holter.url}/agents/cal`);
    const more = async () => {
      await page.getByLabel('For how long').selectOption('60');
    };
    expect(await act(page, 'Allow more time', { more })).toContain('stands still');
    await expect.poll(() => page.locator('main').textContent()).toMatch(/Quiet for (1:00:0|59:)/);
    expect((await agent('cal')).incident?.next.why).toBe('given more time');
    await act(page, 'Wake it');
    await expect.poll(async () => (await agent('cal')).quiet).toBeNull();
    await expect.poll(async () => (await agent('cal')).incident?.phase).toBe('waiting');
  });

  it('snooze one finding: it stays visible and does nothing, and may be woken', async () => {
    await stage.operator.register(owned('dan'));
    await stage.operator.signal('dan', failing);
    await page.goto(`${stage.holter.url}/agents/dan`);
    const button = 'Snooze: unrecoverable error';
    expect(await act(page, 'Snooze', { button })).toContain('acts as before');
    await expect.poll(() => page.locator('.findings').textContent()).toMatch(/Quiet for (15:00|14:)/);
    const quiet = await agent('dan');
    expect(quiet.findings).toMatchObject([{ kind, severity: 'act' }]);
    expect(quiet.quietFindings).toMatchObject([{ kind, reason: 'a test says so' }]);
    expect(quiet.incident?.next.step).toBe('close');
    await act(page, 'Wake it', { button: 'Wake it: unrecoverable error' });
    await expect.poll(async () => (await agent('dan')).incident?.next.step).not.toBe('close');
    expect((await agent('dan')).quietFindings).toEqual([]);
  });

  it('"this was wrong": the finding goes, and the history counts it', async () => {
    await stage.operator.register(owned('eva'));
    await stage.operator.signal('eva', failing);
    await page.goto(`${stage.holter.url}/agents/eva`);
    await act(page, 'This was wrong', { button: 'This was wrong: unrecoverable error' });
    await expect.poll(async () => (await agent('eva')).findings).toEqual([]);
    await expect.poll(() => page.locator('.findings').textContent()).toContain('is not found now');
    await page.goto(`${stage.holter.url}/history`);
    await expect.poll(() => page.locator('.tiles').textContent()).toContain('1Called wrong');
  });

  it('acknowledge: the inbox says who has seen it, and its notices are gone', async () => {
    for (const agentId of ['fay', 'gil']) {
      await stage.operator.register(owned(agentId));
      await stage.operator.signal(agentId, failing);
    }
    await page.goto(`${stage.holter.url}/incidents`);
    const waiting = page.locator('.inbox > li');
    const fay = waiting.filter({ has: page.getByRole('link', { name: 'fay' }) });
    // Who reads it is not told that nobody has.
    await expect.poll(() => fay.textContent()).toContain('Without a decision: terminate');
    await fay.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('.preview').textContent()).toContain('The ladder goes on');
    await dialog.getByLabel('Reason').fill('I am on it');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await expect.poll(() => fay.textContent()).toContain('acknowledged by');
    expect(await fay.textContent()).toContain('I am on it');
    expect(await fay.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
    // What nobody has seen stands before it.
    await expect.poll(() => waiting.last().textContent()).toContain('fay');
    expect((await agent('fay')).incident).toMatchObject({
      acknowledged: { reason: 'I am on it' },
      next: { step: 'terminate' },
    });
    expect((await stage.operator.incidents()).notices).toEqual([]);
  });

  it('leave it down: what has crashed is not brought back, and is no wrong finding', async () => {
    const wrongs = async () => {
      const response = await page.request.get(`${stage.holter.url}/v1/history`);
      return ((await response.json()) as { days: { wrong: number }[] }).days.at(-1)?.wrong;
    };
    await stage.operator.register(owned('jan'));
    await stage.operator.signal('jan', { kind: 'exited', code: 1, incarnation: 1 });
    expect((await agent('jan')).incident?.step).toBe('recover');
    await page.goto(`${stage.holter.url}/agents/jan`);
    const before = await wrongs();
    await act(page, 'Leave it down');
    expect(await agent('jan')).toMatchObject({ incident: null, state: 'TERMINATED' });
    expect(await wrongs()).toBe(before);
  });

  it('isolate and reset a breaker: the agent is refused, and then permitted', async () => {
    await stage.operator.register(owned('hal'));
    const ask = async () => (await stage.operator.tellBreaker('hal', 'external_api', 'acquire', {})).answers;
    expect(await ask()).toMatchObject([{ kind: 'permit' }]);
    await stage.operator.tellBreaker('hal', 'external_api', 'failure', { generation: 0, permitId: 0 });
    await page.goto(`${stage.holter.url}/agents/hal`);
    await act(page, 'Isolate', { button: 'isolate' });
    await expect.poll(() => page.locator('.breakers').textContent()).toContain('a test says so');
    expect(await ask()).toMatchObject([{ kind: 'refused', because: 'isolated' }]);
    await act(page, 'Reset', { button: 'reset' });
    await expect.poll(() => page.locator('.breakers').textContent()).toContain('closed');
    expect(await ask()).toMatchObject([{ kind: 'permit' }]);
  });

  it('shows in the dialog what the server refuses', async () => {
    await stage.operator.register(owned('ian'));
    await stage.operator.signal('ian', failing);
    await page.goto(`${stage.holter.url}/agents/ian`);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
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
