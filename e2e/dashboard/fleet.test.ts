import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { failing, frozen, openStage, owned, type Stage } from './kit.ts';

describe.runIf(browserPath)('the fleet in a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    for (const agentId of ['ada', 'bob', 'cal']) await stage.operator.register(owned(agentId));
    await stage.operator.register({ ...owned('dora'), group: 'night' });
  });
  afterAll(() => stage?.close());

  it('shows all agents, filters, sorts, and keeps the view in the address', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    await page.keyboard.press('/');
    await page.keyboard.type('dor');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    expect(page.url()).toContain('q=dor');
    await page.reload();
    await expect.poll(() => page.locator('.row .who a').allTextContents()).toEqual(['dora']);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.locator('.toolbar select').first().selectOption('night');
    await expect.poll(() => page.locator('.row .who a').allTextContents()).toEqual(['dora']);
    await page.getByRole('button', { name: /Stuck/ }).click();
    await expect.poll(() => page.locator('.message h2').textContent()).toBe('No agents match');
  });

  it('shows the worst first, with its reason and the next step', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    await stage.operator.signal('cal', failing);
    await stage.operator.signal('cal', frozen());
    await page.locator('.row[data-id=cal] .state-failing').first().waitFor();
    await expect.poll(() => page.locator('.row .who a').first().textContent()).toBe('cal');
    const row = page.locator('.row[data-id=cal]');
    await expect.poll(() => row.locator('.why').textContent()).toContain('unrecoverable error');
    await expect.poll(() => row.locator('.next').textContent()).toContain('unless you decide');
    const [outer, inner] = await Promise.all([row, row.locator('.next')].map((each) => each.boundingBox()));
    expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThan((outer?.x ?? 0) + (outer?.width ?? 0));
    await expect.poll(() => page.locator('.count.state-failing .number').textContent()).toBe('1');
    expect(await row.locator('.strip').getAttribute('aria-label')).toContain('Last 5 min');
  });

  it('is used with the keyboard alone', async () => {
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    const names = await page.locator('.row .who a').allTextContents();
    const chosen = () => page.evaluate("document.activeElement?.textContent ?? ''");
    for (const [key, index] of [
      ['j', 0],
      ['j', 1],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(key);
      expect(await chosen(), key).toBe(names[index]);
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('h1').textContent()).toBe(names[1]);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    // While a dialog is open, the key bindings of the page are off.
    await page.keyboard.press('1');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator('h1').textContent()).toBe(names[1]);
    for (const [key, title] of [
      ['2', 'Incidents'],
      ['3', 'Breakers'],
      ['4', 'History'],
      ['5', 'System'],
      ['1', 'Fleet'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => page.locator('h1').textContent(), { message: key }).toBe(title);
    }
    // Keys typed into a field are text until Escape leaves it.
    await page.keyboard.press('/');
    await page.keyboard.type('2?j');
    expect(await page.getByRole('searchbox').inputValue()).toBe('2?j');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.row').count()).toBe(4);
    expect(page.url()).not.toContain('q=');
    await page.keyboard.press('2');
    await expect.poll(() => page.locator('h1').textContent()).toBe('Incidents');
    // The view has the focus, for screen readers, and shows no outline.
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate(`document.activeElement.tagName + ' ' + ${outline}`)).toBe('MAIN none');
  });

  it('shows what agents say as text, whatever they say', async () => {
    const evil = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
    for (const name of ['agentId', 'group', 'role'])
      await expect(stage.operator.register({ ...owned('mallory'), [name]: evil })).rejects.toMatchObject({
        status: 400,
      });
    await stage.operator.register({ ...owned('eve'), taskId: evil });
    await stage.operator.heartbeat('eve', { incarnation: 1, phase: evil });
    await stage.operator.tellBreaker('eve', 'external_api', 'failure', [{ generation: 0, permitId: 0 }]);
    const call = { callId: 'c1', tool: evil, incarnation: 1, input: { path: evil } };
    await stage.operator.signal('eve', [
      { kind: 'call-begun', ...call },
      { kind: 'blocker', text: evil, incarnation: 1 },
      { kind: 'error', message: evil, isUnrecoverable: true, incarnation: 1 },
    ]);
    const page = await stage.open();
    await page.locator('.row[data-id=eve] .state-failing').first().waitFor();
    await expect.poll(() => page.locator('.row[data-id=eve]').textContent()).toContain('<img');
    await stage.operator.snooze('eve', { minutes: 1, reason: evil });
    for (const path of ['/agents/eve', '/incidents', '/breakers', `/?q=${encodeURIComponent(evil)}`]) {
      await page.goto(`${stage.holter.url}${path}`);
      await page.locator('h1').waitFor({ state: 'attached' });
      if (path.startsWith('/agents')) {
        // Its task, its error and the operator's reason are shown as they were written.
        await expect
          .poll(async () => (await page.locator('main').textContent())?.split(evil).length)
          .toBeGreaterThan(2);
      } else if (!path.startsWith('/?')) {
        await expect.poll(() => page.locator('main').textContent()).toContain('eve');
      }
      expect(await page.locator('body img, body script, body iframe').count(), path).toBe(0);
      expect(await page.evaluate("'hurt' in window"), path).toBe(false);
    }
    const policy = (await page.request.get(stage.holter.url)).headers()['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
  });
});
