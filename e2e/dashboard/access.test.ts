import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { failing, openStage, owned, type Stage } from './kit.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = ['/', '/agents/cal', '/incidents', '/breakers', '/history', '/system'];

type AxeResult = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };

describe.runIf(browserPath)('a page for everybody', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
    for (const agentId of ['ada', 'bob', 'cal']) await stage.operator.register(owned(agentId));
    await stage.operator.signal('cal', failing);
    await stage.operator.tellBreaker('ada', 'external_api', 'failure', [{ generation: 0, permitId: 0 }]);
  });
  afterAll(() => stage?.close());

  // Dark differs from light in colours only, so only they are looked at twice.
  it.each([
    ['light', {}],
    ['dark', { runOnly: ['color-contrast'] }],
  ] as const)('axe finds nothing serious in any view (%s)', async (colorScheme, rules) => {
    const page = await stage.open('/', { colorScheme, bypassCSP: true });
    for (const view of VIEWS) {
      await page.goto(`${stage.holter.url}${view}`);
      await page.locator('h1').waitFor({ state: 'attached' });
      await page.evaluate(axe);
      const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(rules)})`)) as AxeResult;
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(grave.map(({ id, nodes }) => `${view} ${id} ${nodes[0]?.html}`)).toEqual([]);
    }
  });

  it('fits a phone: nothing is wider than the screen', async () => {
    const page = await stage.open('/', { viewport: { width: 390, height: 844 } });
    for (const view of VIEWS) {
      await page.goto(`${stage.holter.url}${view}`);
      await page.locator('h1').waitFor({ state: 'attached' });
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(390);
    }
  });

  it('has only the rows that are on the screen, however many agents there are', async () => {
    for (let i = 0; i < 150; i += 1)
      await stage.operator.register({ agentId: `many-${i}`, instanceId: 'i', group: 'many' });
    const page = await stage.open('/?group=many&sort=name');
    await expect.poll(() => page.locator('.shown').textContent()).toContain('150');
    expect(await page.locator('.row').count()).toBeLessThan(80);
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await page.locator('.row[data-id=many-99]').waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(80);
  });
});
