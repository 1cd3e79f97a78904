import { createClient } from '@holter/server/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { failing, frozen, openStage, owned, presentRun, type Stage } from './kit.ts';

/** Whether the dialog has the focus within the same task: whoever types at once types into it. */
const CLICK_NUDGE = `(async () => {
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Nudge').click();
  for (let turn = 0; turn < 10; turn += 1) await null;
  return document.activeElement.closest('dialog') !== null;
})()`;

describe.runIf(browserPath)('who needs a person, in a browser', () => {
  let stage: Stage;
  let page: Page;
  let nudgedToken: string;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    page = await stage.open();
    const remote = { agentId: 'ada', instanceId: 'i', can: ['nudge' as const], promises: {} };
    nudgedToken = (await stage.operator.register(remote)).token;
    for (const agentId of ['bob', 'cal']) {
      const executor = agentId === 'cal' ? await presentRun(stage, 'cal') : 'absent';
      await stage.operator.register({ ...owned(agentId), executor });
    }
  });
  afterAll(() => stage?.close());

  const band = () => page.locator('.need-you');

  it('asks once for a name, which decisions then carry', async () => {
    await page.getByLabel('Your name').fill('Alice');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.locator('.ask-name').count()).toBe(0);
    await page.reload();
    await page.locator('.row').first().waitFor();
    expect(await page.locator('.ask-name').count()).toBe(0);
    expect(await page.locator('.person').textContent()).toBe('Alice');
  });

  it('names them on top, with the reason, what comes next, and the recommended decision', async () => {
    await stage.operator.signal('cal', failing);
    await stage.operator.signal('cal', frozen());
    await expect.poll(() => band().locator('h2').textContent()).toBe('1 needs you');
    const row = band().locator('li');
    await expect
      .poll(() => row.textContent())
      .toMatch(/cal.*unrecoverable error.*terminates in .* unless you decide/);
    await stage.operator.signal('bob', {
      kind: 'hold-begun',
      hold: 'waiting-for-permission',
      incarnation: 1,
    });
    await expect.poll(() => band().locator('h2').textContent()).toBe('2 need you');
    await expect.poll(() => band().textContent()).toContain('waiting for your permission');
    await stage.operator.signal('bob', {
      kind: 'hold-ended',
      hold: 'waiting-for-permission',
      incarnation: 1,
    });
    await expect.poll(() => band().locator('h2').textContent()).toBe('1 needs you');
  });

  it('is decided from the row: the first field has the focus, and a missing reason is said', async () => {
    await band().getByRole('button', { name: 'Restart: cal' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('reason');
    await dialog.getByRole('button', { name: 'Restart', exact: true }).click();
    await expect.poll(() => dialog.getByRole('alert').textContent()).toContain('needs a reason');
    await page.keyboard.type('it is lost');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.toast').first().textContent()).toContain('cal is being stopped');
    const { events } = await stage.operator.events({ agentId: 'cal', type: 'DECISION_MADE' });
    expect(events[0]?.payload).toMatchObject({ decision: 'terminate_and_recover', reason: 'it is lost' });
    expect(String(events[0]?.payload.by)).toContain('Alice');
    await expect.poll(() => band().count()).toBe(0);
  });

  it('needs no reason where nothing is stopped, and tells what became of a nudge', async () => {
    await page.goto(`${stage.holter.url}/agents/ada`);
    await page.locator('.decision-bar summary').click();
    await page.getByRole('button', { name: 'Nudge', exact: true }).waitFor();
    expect(await page.evaluate(CLICK_NUDGE)).toBe(true);
    await page.keyboard.type('look at the build');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.toasts').textContent()).toContain('on its way to ada');
    const itself = createClient({ url: stage.holter.url, token: nudgedToken });
    await expect.poll(async () => (await itself.heartbeat('ada')).directives).toHaveLength(1);
    await expect
      .poll(() => page.locator('.toasts').textContent(), { timeout: 15_000 })
      .toMatch(/ada got the nudge|ada has read the nudge/);
  });

  it('lists the tokens of people first, and folds those of agents', async () => {
    await page.goto(`${stage.holter.url}/system`);
    const people = page.getByRole('region', { name: 'Tokens of people' });
    await expect.poll(() => people.textContent()).toContain('operator');
    expect(await people.textContent()).not.toContain('ada');
    const machines = page.getByRole('region', { name: 'Tokens of agents, hooks and pings' });
    expect(await machines.isVisible()).toBe(false);
    await page.getByText(/tokens of agents/).click();
    expect(await machines.textContent()).toContain('ada');
  });
});

describe.runIf(browserPath)('many agents in a browser', () => {
  let stage: Stage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    for (let i = 1; i <= 110; i += 1)
      await stage.operator.register({ ...owned(`worker-${i}`), group: i % 2 ? 'odd' : 'even' });
    for (const i of [9, 10, 100]) await stage.operator.signal(`worker-${i}`, failing);
    page = await stage.open();
  });
  afterAll(() => stage?.close());

  const names = () => page.locator('.row .who a').allTextContents();

  it('folds healthy ones, draws a line for each of the others, and shows groups as tiles', async () => {
    await expect.poll(async () => (await names()).sort()).toEqual(['worker-10', 'worker-100', 'worker-9']);
    expect(await page.locator('.shown').textContent()).toContain('3 shown, 107 healthy or ended ones folded');
    const box = await page.locator('.row').first().boundingBox();
    expect(box?.height).toBeLessThanOrEqual(32);
    expect(await page.locator('.group-tile').first().textContent()).toMatch(/even.*2.*need you/);
    await page.locator('.group-tile').first().click();
    await expect.poll(async () => (await names()).sort()).toEqual(['worker-10', 'worker-100']);
    await page.locator('.group-tile').first().click();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.locator('.shown').textContent()).toContain('110 shown');
    await page.getByLabel('Order').selectOption('name');
    await expect
      .poll(async () => (await names()).slice(0, 10))
      .toEqual(Array.from({ length: 10 }, (_, i) => `worker-${i + 1}`));
    await page.getByRole('button', { name: 'Fold healthy' }).click();
    await expect.poll(async () => (await names()).length).toBe(3);
  });

  it('takes one decision about several', async () => {
    for (const i of [9, 10]) await page.getByLabel(`Select worker-${i}`, { exact: true }).check();
    const bar = page.locator('.bulk');
    expect(await bar.textContent()).toContain('2 agents selected');
    await bar.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.textContent()).toContain('For each of worker-9, worker-10');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await expect.poll(() => page.locator('.toasts').textContent()).toContain('2 of 2 done');
    await expect.poll(() => page.locator('.need-you h2').textContent()).toBe('1 needs you');
  });

  it('keeps what each view knew while the server is away', async () => {
    await page.getByRole('link', { name: 'worker-9' }).first().click();
    await page.locator('.facts').waitFor();
    await stage.restart(async () => {
      await page.locator('.stale').waitFor();
      await page.getByRole('link', { name: 'Fleet' }).first().click();
      await expect.poll(async () => (await names()).length).toBe(3);
      await page.locator('.row .who a', { hasText: 'worker-9' }).click();
      await expect.poll(() => page.locator('.facts').textContent()).toContain('Last heard');
    });
  });
});
