import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { failing, openStage, owned, type Stage } from './kit.ts';

describe.runIf(browserPath)('the fleet in a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    for (const agentId of ['ada', 'bob', 'cal']) await stage.operator.register(owned(agentId));
    await stage.operator.register({ ...owned('dora'), group: 'night' });
  });
  afterAll(() => stage?.close());

  it('shows everybody, filters, sorts, and keeps the view in the address', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    await page.keyboard.press('/');
    await page.keyboard.type('dor');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    expect(page.url()).toContain('q=dor');
    await page.reload();
    await expect.poll(() => page.locator('.row .who a').allTextContents()).toEqual(['dora']);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByRole('button', { name: 'Show everybody' }).click();
    await page.locator('.toolbar select').first().selectOption('night');
    await expect.poll(() => page.locator('.row .who a').allTextContents()).toEqual(['dora']);
    await page.getByRole('button', { name: /Stuck/ }).click();
    await expect.poll(() => page.locator('.message h2').textContent()).toBe('Nobody is like that');
  });

  it('shows a change within a second, the worst first, with its reason and the next step', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    const before = performance.now();
    await stage.operator.signal('cal', failing);
    await page.locator('.row[data-id=cal] .state-failing').first().waitFor();
    expect(performance.now() - before).toBeLessThan(1_500);
    await expect.poll(() => page.locator('.row .who a').first().textContent()).toBe('cal');
    const row = page.locator('.row[data-id=cal]');
    await expect.poll(() => row.locator('.why').textContent()).toContain('unrecoverable error');
    await expect.poll(() => row.locator('.next').textContent()).toContain('a person decides');
    await expect.poll(() => page.locator('.count.state-failing .number').textContent()).toBe('1');
    expect(await row.locator('.strip').getAttribute('aria-label')).toContain('Last hour');
  });

  it('is used with the keyboard alone', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const chosen = await page.evaluate("document.activeElement?.textContent ?? ''");
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('h1').textContent()).toBe(chosen);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('2');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Incidents');
  });

  it('shows what agents say as text, whatever they say', async () => {
    const evil = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
    await stage.operator.register(owned('eve'));
    await stage.operator.heartbeat('eve', { incarnation: 1, phase: evil });
    const call = { callId: 'c1', tool: evil, incarnation: 1, input: { path: evil } };
    await stage.operator.signal('eve', [
      { kind: 'call-begun', ...call },
      { kind: 'blocker', text: evil, incarnation: 1 },
      { kind: 'error', message: evil, isUnrecoverable: true, incarnation: 1 },
    ]);
    const page = await stage.open();
    await page.locator('.row[data-id=eve] .state-failing').first().waitFor();
    await expect.poll(() => page.locator('.row[data-id=eve]').textContent()).toContain('<img');
    for (const path of ['/agents/eve', '/incidents']) {
      await page.goto(`${stage.holter.url}${path}`);
      await expect.poll(() => page.locator('main').textContent()).toContain('eve');
      await expect.poll(() => page.locator('main').textContent()).toMatch(/<img|unrecoverable/);
      expect(await page.locator('main img, main script').count()).toBe(0);
    }
    expect(await page.evaluate("'hurt' in window")).toBe(false);
    const policy = (await page.request.get(stage.holter.url)).headers()['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
  });
});
