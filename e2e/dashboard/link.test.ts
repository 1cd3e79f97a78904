import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { openStage, owned, type Stage } from './kit.ts';

describe.runIf(browserPath)('the way between page and server', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    await stage.operator.register(owned('ada'));
  });
  afterAll(() => stage?.close());

  it('opens with a link once, and takes the secret out of the address', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    const link = await stage.link();
    await page.goto(link);
    await page.locator('.row').waitFor();
    expect(page.url()).toBe(`${stage.holter.url}/`);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie')).toBe('');
    await context.close();

    const other = await stage.browser.newContext();
    const late = await other.newPage();
    await late.goto(link);
    await expect.poll(() => late.locator('[role=alert]').textContent()).toContain('was used before');
    expect(await late.locator('.row').count()).toBe(0);
    await late.goto(`${stage.holter.url}/agents/ada`);
    await expect.poll(() => late.locator('main').textContent()).toContain('holter open');
    await other.close();
  });

  it('opens with a link that is pasted into an open tab, and has a page for a wrong address', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.goto(stage.holter.url);
    await page.getByText('holter open').waitFor();
    // Only the fragment changes, so that the browser loads nothing.
    await page.evaluate(`location.href = ${JSON.stringify(await stage.link())}`);
    await page.locator('.row').waitFor();
    expect(page.url()).toBe(`${stage.holter.url}/`);
    const answer = await page.goto(`${stage.holter.url}/foo`);
    expect(answer?.status()).toBe(404);
    await expect.poll(() => page.locator('.message h2').textContent()).toBe('Page not found');
    await context.close();
  });

  it('lets a viewer look and not decide, and ends with a log-out', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.goto(await stage.link('viewer'));
    await page.getByRole('link', { name: 'ada' }).click();
    await expect.poll(() => page.locator('.agent').textContent()).toContain('not decide');
    await page.getByRole('button', { name: 'Log out' }).click();
    await expect.poll(() => page.locator('main').textContent()).toContain('holter open');
    await page.reload();
    await expect.poll(() => page.locator('main').textContent()).toContain('holter open');
    await context.close();
  });

  it('says that the server is away, and comes back without a gap when it is there again', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.evaluate('window.isSamePage = true');
    await stage.restart(async () => {
      await expect
        .poll(() => page.locator('.link-state').textContent(), { timeout: 10_000 })
        .toContain('Connection lost');
      // What was shown stays visible.
      expect(await page.locator('.row').count()).toBe(1);
    });
    await stage.operator.register(owned('bob'));
    await expect.poll(() => page.locator('.row').count(), { timeout: 20_000 }).toBe(2);
    await expect.poll(() => page.locator('.link-state').textContent()).toContain('Live');
    expect(await page.evaluate("'isSamePage' in window")).toBe(true);
  });
});
