import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { decide, failing, openStage, owned, presentRun, type Stage } from './kit.ts';

describe.runIf(browserPath)('one agent in a browser', () => {
  let stage: Stage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    page = await stage.open();
  });
  afterAll(() => stage?.close());

  const effects = async (agentId: string, kind: string) =>
    (await stage.operator.effects(agentId)).effects.filter((effect) => effect.kind === kind);

  it('is stopped and brought back by a decision in the inbox', async () => {
    const executor = await presentRun(stage, 'cal');
    await stage.operator.register({ ...owned('cal'), executor });
    await stage.operator.signal('cal', failing);
    await page.goto(`${stage.holter.url}/incidents`);
    await page.getByRole('link', { name: 'cal' }).waitFor();
    await decide(page, 'Terminate and recover');
    await expect.poll(() => effects('cal', 'terminate')).toHaveLength(1);
    await expect.poll(() => page.locator('.inbox').count()).toBe(0);
    // The executor reports its end; then a successor is ordered.
    await stage.operator.signal('cal', { kind: 'exited', code: 137, incarnation: 1 });
    await expect.poll(() => effects('cal', 'spawn')).toHaveLength(1);
  });

  it('is called all wrong about: every finding goes, and it is left in peace', async () => {
    await stage.operator.register(owned('dan'));
    await stage.operator.signal('dan', failing);
    await page.goto(`${stage.holter.url}/agents/dan`);
    await page.locator('.findings').waitFor();
    expect(await page.locator('.findings').textContent()).toContain('Limit:');
    await decide(page, 'It was all wrong');
    await expect.poll(async () => (await stage.operator.agent('dan')).findings).toEqual([]);
    expect((await stage.operator.agent('dan')).quiet?.reason).toBe('a test says so');
  });

  it('shows its checkpoints, calls and breakers, and a person resets one', async () => {
    const { token } = await stage.operator.register(owned('eva'));
    await stage.operator.writeCheckpoint('eva', { checkpointId: 'c-1', content: { done: 3 } });
    const call = { callId: 'k1', tool: 'bash', incarnation: 1 };
    await stage.operator.signal('eva', [
      { kind: 'call-begun', ...call },
      { kind: 'call-ended', ...call, isError: false, output: 'ok' },
    ]);
    const failures = Array.from({ length: 20 }, () => ({ generation: 0, permitId: 0 }));
    await stage.operator.tellBreaker('eva', 'external_api', 'failure', failures);
    await page.goto(`${stage.holter.url}/agents/eva`);
    await expect.poll(() => page.locator('.chain').textContent()).toContain('a recovery starts here');
    expect(await page.locator('.calls').textContent()).toContain('bash');
    expect(await page.locator('.breakers').textContent()).toContain('tries again in');
    await page.goto(`${stage.holter.url}/breakers`);
    await page.getByRole('button', { name: 'reset' }).click();
    await page.getByLabel('Reason').fill('the provider is back');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => page.locator('.breakers').textContent()).toContain('closed');
    const { breakers } = await stage.operator.breakers('eva');
    expect(breakers).toMatchObject([{ state: 'CLOSED' }]);
    expect(token).toBeTruthy();
  });

  it('says in the inbox what its incident has cost, once it is over', async () => {
    await stage.operator.register(owned('gus'));
    const used = (total: number, costUsd: number) => ({ kind: 'tokens', total, costUsd, incarnation: 1 });
    await stage.operator.signal('gus', [used(1_000, 0.1), failing, used(25_000, 0.52)]);
    await stage.operator.signal('gus', { kind: 'stopped', reason: 'enough', incarnation: 1 });
    await page.goto(`${stage.holter.url}/incidents`);
    const row = page.locator('tr').filter({ has: page.getByRole('link', { name: 'gus' }) });
    await expect.poll(() => row.textContent()).toContain('24k tokens, $0.42');
  });

  it('moves on its time axis, and says when there is no such agent', async () => {
    await stage.operator.register(owned('fay'));
    await page.goto(`${stage.holter.url}/agents/fay`);
    await page.getByRole('button', { name: '6 h' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await page.locator('.timeline canvas').getAttribute('aria-label')).toContain('3 h');
    await page.goto(`${stage.holter.url}/agents/nobody`);
    await expect.poll(() => page.locator('.message h2').textContent()).toBe('Nobody of this name');
  });
});
