import { join } from 'node:path';
import { DataFolder } from '@holter/server/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { failing, openStage, owned, type Stage } from './kit.ts';

/** One works, and one does not. */
const CHANNELS = `
channels:
  good: { type: command, argv: ['true'] }
  bad: { type: command, argv: ['false'] }
`;

let stage: Stage;
beforeAll(async () => {
  if (browserPath) stage = await openStage(browserPath, CHANNELS);
});
afterAll(() => stage?.close());

describe.runIf(browserPath)('alerts in the page', () => {
  it('shows each channel with its last delivery, and tests it', async () => {
    const page = await stage.open('/system');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await expect.poll(() => row('good').textContent()).toContain('unused');
    await row('good').getByRole('button', { name: 'Test good' }).click();
    await expect.poll(() => page.locator('.toasts').textContent()).toContain('Test sent through good');
    await expect.poll(() => row('good').textContent()).toMatch(/ok.*ago/);
    for (let tries = 1; tries <= 3; tries++) {
      await row('bad').getByRole('button', { name: 'Test bad' }).click();
      await expect.poll(() => page.locator('.toasts').textContent()).toContain('bad failed');
    }
    await expect.poll(() => row('bad').textContent()).toMatch(/failing.*false ended with 1/);
    const wrong = page.getByRole('region', { name: 'What is wrong with Holter' });
    await expect.poll(() => wrong.textContent()).toContain('bad');
    await expect.poll(() => page.locator('main').textContent()).toContain('Outside pingnot set');
    await page.goto(`${stage.holter.url}/`);
    await expect
      .poll(() => page.locator('main').textContent())
      .toContain('1 alert channel does not deliver: bad');
  });

  it("says on every view that a person has stopped Holter's acts", async () => {
    const folder = new DataFolder(join(stage.folder, 'data'));
    folder.writeEstop({ at: Date.now(), by: 'ann', reason: 'we move' });
    await expect.poll(async () => (await stage.operator.health()).estop).toMatchObject({ by: 'ann' });
    const page = await stage.open('/incidents');
    const said = page.locator('.own-trouble');
    await expect.poll(() => said.textContent()).toContain('ann has stopped its acts (we move)');
    folder.removeEstop();
  });

  it('lets only an operator test', async () => {
    const page = await stage.browser.newPage();
    await page.goto(await stage.link('viewer'));
    await page.locator('.link-state.live').waitFor();
    await page.goto(`${stage.holter.url}/system`);
    await page.getByRole('row').filter({ hasText: 'good' }).waitFor();
    expect(await page.getByRole('button', { name: 'Test good' }).count()).toBe(0);
    await page.close();
  });

  it('opens the decision of a link in an alert, and decides nothing before it is confirmed', async () => {
    await stage.operator.register(owned('ada'));
    await stage.operator.signal('ada', failing);
    const incident = (await stage.operator.agent('ada')).incident?.incidentId ?? '';
    const page = await stage.open(
      `/agents/ada?decide=allow_more_time&incident=${encodeURIComponent(incident)}`,
    );
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The ladder pauses').waitFor();
    expect((await stage.operator.agent('ada')).quiet).toBeNull();
    expect(new URL(page.url()).search).toBe('');
    await dialog.getByRole('button', { name: 'Snooze', exact: true }).click();
    await expect.poll(async () => (await stage.operator.agent('ada')).quiet).not.toBeNull();
    await page.goto(`${stage.holter.url}/agents/ada?decide=terminate&incident=ada%2F77`);
    await expect.poll(() => page.locator('.toasts').textContent()).toContain('ada/77 is closed');
    expect(await dialog.count()).toBe(0);
  });
});
