import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { failing, lowTicket, openDecision, openStage, owned, type Stage } from './kit.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = ['/', '/agents/cal', '/incidents', '/breakers', '/history', '/system', '/cost', '/foo'];

type AxeResult = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };

describe.runIf(browserPath)('an accessible page', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    for (const agentId of ['ada', 'bob', 'cal']) await stage.operator.register(owned(agentId));
    await stage.operator.signal('cal', failing);
    await stage.operator.emitTicket({ ...lowTicket('cal'), severity: 'high' });
    await stage.operator.emitTicket(lowTicket('ada'));
    await stage.operator.tellBreaker('ada', 'external_api', 'failure', [{ generation: 0, permitId: 0 }]);
  });
  afterAll(() => stage?.close());

  /** Opens a view and waits until it is complete, so that the check sees all of it. */
  async function shown(page: Page, view: string): Promise<void> {
    await page.goto(`${stage.holter.url}${view}`);
    await page.locator('h1, .message h2').first().waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('.loading').count(), { message: view }).toBe(0);
    if (view === '/') await expect.poll(() => page.locator('.row').count()).toBeGreaterThan(2);
  }

  async function graveIn(page: Page, what: string, rules: object = {}): Promise<readonly string[]> {
    await page.evaluate(axe);
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(rules)})`)) as AxeResult;
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return grave.map(({ id, nodes }) => `${what} ${id} ${nodes[0]?.html}`);
  }

  // The dark theme differs only in colours, so only these are checked twice.
  it.each([
    ['light', {}],
    ['dark', { runOnly: ['color-contrast'] }],
  ] as const)('axe finds nothing serious in any view (%s)', async (colorScheme, rules) => {
    const page = await stage.open('/', { colorScheme, bypassCSP: true });
    for (const view of VIEWS) {
      await shown(page, view);
      expect(await graveIn(page, view, rules)).toEqual([]);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await graveIn(page, 'help', rules)).toEqual([]);
    await page.keyboard.press('Escape');
    await shown(page, '/agents/cal');
    await openDecision(page, 'Snooze');
    await page.getByRole('dialog').waitFor();
    expect(await graveIn(page, 'a decision', rules)).toEqual([]);
    await page.goto(`${stage.holter.url}/?q=nobody`);
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    expect(await graveIn(page, 'no agents match', rules)).toEqual([]);
    await page.context().clearCookies();
    await page.goto(stage.holter.url);
    await page.getByText('holter open').waitFor();
    expect(await graveIn(page, 'log-in', rules)).toEqual([]);
  });

  it('the check itself notices what it should', async () => {
    const page = await stage.open('/', { bypassCSP: true });
    await shown(page, '/');
    await page.evaluate("document.querySelector('.toolbar input').parentElement.firstChild.remove()");
    await page.evaluate("document.querySelector('.toolbar input').placeholder = ''");
    expect((await graveIn(page, 'spoilt')).join()).toContain('label');
  });

  it.each([390, 320])('fits a phone of %i pixels: nothing is wider than the screen', async (width) => {
    const page = await stage.open('/', { viewport: { width, height: 844 } });
    const widest = () => page.evaluate('document.documentElement.scrollWidth');
    for (const view of VIEWS) {
      await shown(page, view);
      expect(await widest(), view).toBeLessThanOrEqual(width);
    }
    // The buttons of a breaker are on the screen, not beside it.
    await shown(page, '/breakers');
    const box = await page.getByRole('button', { name: 'reset' }).boundingBox();
    expect((box?.x ?? width) + (box?.width ?? width)).toBeLessThanOrEqual(width);
    await page.route('**/v1/fleet/live**', (route) => route.abort());
    await page.goto(`${stage.holter.url}/incidents`);
    await page.locator('.stale').waitFor();
    expect(await widest(), 'connection lost').toBeLessThanOrEqual(width);
  });

  it('fits a phone before the timeline has been measured', async () => {
    const page = await stage.open('/', { viewport: { width: 390, height: 844 } });
    await page.addInitScript('ResizeObserver.prototype.observe = () => {}');
    await shown(page, '/agents/cal');
    await page.locator('.timeline canvas').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('has only the rows that are on the screen, however many agents there are', async () => {
    for (let i = 0; i < 150; i += 1)
      await stage.operator.register({ agentId: `many-${i}`, instanceId: 'i', group: 'many' });
    const page = await stage.open('/?group=many&sort=name&show=all');
    await expect.poll(() => page.locator('.shown').textContent()).toContain('150');
    expect(await page.locator('.row').count()).toBeLessThan(80);
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await page.locator('.row[data-id=many-149]').waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(80);
  });
});
