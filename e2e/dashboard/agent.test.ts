import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { failing, openStage, owned, type Stage } from './kit.ts';

describe.runIf(browserPath)('one agent in a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
  });
  afterAll(() => stage?.close());

  /** Opens the dialog, reads what will happen, gives a reason, and does it. */
  async function act(page: Page, name: string, more: (page: Page) => Promise<void> = async () => undefined) {
    await page.getByRole('button', { name, exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('.preview').textContent()).toContain('What will happen');
    expect(await dialog.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
    await more(page);
    await dialog.getByLabel('Reason').fill('a test says so');
    await dialog.getByRole('button', { name, exact: true }).click();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
  }

  const effects = async (agentId: string, kind: string) =>
    (await stage.operator.effects(agentId)).effects.filter((effect) => effect.kind === kind);

  it('is nudged: the words arrive in its next reply', async () => {
    await stage.operator.register({ agentId: 'ada', instanceId: 'i', can: ['nudge'], promises: {} });
    const page = await stage.open('/agents/ada');
    await act(page, 'Nudge', async () => page.getByLabel('Message').fill('please look at the build'));
    const heard = () => stage.operator.heartbeat('ada', { incarnation: 1 });
    await expect
      .poll(async () => (await stage.operator.effects('ada')).effects.map(({ message }) => message).join())
      .toContain('please look at the build');
    expect((await heard()).ok).toBe(true);
    await expect.poll(() => page.locator('.events').textContent()).toContain('nudge sent');
  });

  it('is paused, resumed and given more time', async () => {
    await stage.operator.register(owned('bob'));
    const page = await stage.open('/agents/bob');
    await act(page, 'Pause judging');
    await expect.poll(() => page.locator('.facts').textContent()).toContain('paused by operator');
    expect((await stage.operator.agent('bob')).holds).toMatchObject([{ kind: 'paused-by-operator' }]);
    await act(page, 'Resume judging');
    await expect.poll(async () => (await stage.operator.agent('bob')).holds).toEqual([]);
    await act(page, 'Allow more time', async () => {
      await page.getByLabel('For how long').selectOption('60');
    });
    const quiet = (await stage.operator.agent('bob')).quiet;
    expect(quiet?.reason).toBe('a test says so');
    await expect.poll(() => page.locator('main').textContent()).toMatch(/Quiet for (1:00:0|59:)/);
  });

  it('is stopped and brought back by a decision in the inbox', async () => {
    await stage.operator.register(owned('cal'));
    await stage.operator.signal('cal', failing);
    const page = await stage.open('/incidents');
    await page.getByRole('link', { name: 'cal' }).waitFor();
    await act(page, 'Terminate and recover');
    await expect.poll(() => effects('cal', 'terminate')).toHaveLength(1);
    await expect.poll(() => page.locator('.inbox').count()).toBe(0);
    // The executor reports its end; then a successor is ordered.
    await stage.operator.signal('cal', { kind: 'exited', code: 137, incarnation: 1 });
    await expect.poll(() => effects('cal', 'spawn')).toHaveLength(1);
  });

  it('is called wrong about: the finding goes, and the history counts it', async () => {
    await stage.operator.register(owned('dan'));
    await stage.operator.signal('dan', failing);
    const page = await stage.open('/agents/dan');
    await page.locator('.findings').waitFor();
    expect(await page.locator('.findings').textContent()).toContain('Limit:');
    await act(page, 'This was wrong');
    await expect.poll(async () => (await stage.operator.agent('dan')).findings).toEqual([]);
    await page.goto(`${stage.holter.url}/history`);
    await expect.poll(() => page.locator('.tiles').textContent()).toContain('1Called wrong');
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
    const page = await stage.open('/agents/eva');
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

  it('moves on its axis of time, and says so when there is nobody', async () => {
    await stage.operator.register(owned('fay'));
    const page = await stage.open('/agents/fay');
    await page.getByRole('button', { name: '6 h' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await page.locator('.timeline canvas').getAttribute('aria-label')).toContain('3 h');
    await page.goto(`${stage.holter.url}/agents/nobody`);
    await expect.poll(() => page.locator('.message h2').textContent()).toBe('Nobody of this name');
  });
});
