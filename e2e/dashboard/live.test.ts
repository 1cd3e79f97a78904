import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { wireTo } from './cut-wire.ts';
import { failing, openStage, owned, type Stage } from './kit.ts';

const WITHIN_MS = 1_000;

/** Runs in the page: records when each agent's row was first shown as failing, by the real clock. */
const WATCH = `
  window.shownAt = {};
  const look = () => {
    for (const row of document.querySelectorAll('.row'))
      if (row.querySelector('.state-failing')) window.shownAt[row.dataset.id] ??= Date.now();
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });`;

describe.runIf(browserPath)('the page is live', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(browserPath);
  });
  afterAll(() => stage?.close());

  const names = (page: Page) => page.locator('.row .who a').allTextContents();

  it('shows each change within a second of its event', async () => {
    const agents = ['ada', 'bob', 'cal', 'dora', 'eve'];
    for (const agentId of agents) await stage.operator.register(owned(agentId));
    const page = await stage.open();
    await expect.poll(() => page.locator('.row').count()).toBe(agents.length);
    await page.evaluate(WATCH);
    for (const agentId of agents) await stage.operator.signal(agentId, failing);
    const shownAt = async () => (await page.evaluate('window.shownAt')) as Record<string, number>;
    await expect.poll(async () => Object.keys(await shownAt()).sort(), { timeout: 10_000 }).toEqual(agents);
    const shown = await shownAt();
    const { events } = await stage.operator.events({ type: 'HEALTH_STATE_CHANGED', limit: '100' });
    const failed = events.filter(
      ({ type, payload }) => type === 'HEALTH_STATE_CHANGED' && payload.to === 'FAILING',
    );
    expect(failed).toHaveLength(agents.length);
    for (const { agentId, at } of failed) {
      const lateMs = (shown[agentId] ?? Number.POSITIVE_INFINITY) - at;
      expect(lateMs, `${agentId} was shown after ${lateMs} ms`).toBeLessThan(WITHIN_MS);
    }
  });

  it('says that the connection is lost, and shows afterwards what happened meanwhile', async () => {
    await stage.operator.register({ ...owned('fay'), group: 'wire' });
    await stage.operator.register({ ...owned('gus'), group: 'wire' });
    const wire = await wireTo(stage.holter.port);
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    const { path } = await stage.operator.makeLoginSecret({});
    await page.goto(`http://127.0.0.1:${wire.port}${path}`);
    await page.locator('.link-state.live').waitFor();
    await page.goto(`http://127.0.0.1:${wire.port}/?group=wire`);
    await expect.poll(() => names(page)).toEqual(['fay', 'gus']);

    wire.cut();
    await page.locator('.link-state.lost').waitFor();
    expect(await page.locator('.link-state').textContent()).toContain('Connection lost');
    expect(await names(page)).toEqual(['fay', 'gus']);
    // The page says that it is out of date.
    await page.locator('.stale').waitFor();
    await stage.operator.signal('gus', failing);
    await stage.operator.register({ ...owned('hal'), group: 'wire' });
    await stage.operator.heartbeat('fay', { incarnation: 1 });

    wire.mend();
    await expect.poll(() => names(page), { timeout: 20_000 }).toEqual(['gus', 'fay', 'hal']);
    await page.locator('.link-state.live').waitFor();
    await page.locator('.row[data-id=gus] .state-failing').first().waitFor();
    await expect
      .poll(() => page.locator('.row[data-id=fay] .strip').getAttribute('aria-label'))
      .toContain('signs of life in 1 of');
    expect(await page.locator('.stale').count()).toBe(0);
    await context.close();
    await wire.close();
  });

  it('shows how Holter itself is, and looks again by itself', async () => {
    // What a person was shown is no longer in the outbox.
    const unread = async () => {
      const { incidents, notices } = await stage.operator.incidents();
      await stage.operator.noteShown(incidents.map(({ incidentId }) => incidentId));
      return notices;
    };
    await expect.poll(unread).toEqual([]);
    const page = await stage.open('/system');
    const tile = (name: string) => page.locator('.tile', { hasText: name }).locator('.number').textContent();
    await expect.poll(() => tile('Store')).toBe('ok');
    const waiting = Number(await tile('Outbox: waiting'));
    await stage.operator.register({ ...owned('ned'), group: 'pulse' });
    // There is no executor to carry it out, so it stays pending.
    await stage.operator.terminate('ned', { reason: 'a test says so' });
    await expect
      .poll(async () => Number(await tile('Outbox: waiting')), { timeout: 10_000 })
      .toBe(waiting + 1);
    await page.goto(`${stage.holter.url}/history`);
    const opened = await stage.operator.events({ type: 'INCIDENT_OPENED', limit: '500' });
    await expect.poll(() => tile('Incidents')).toBe(String(opened.events.length));
  });

  it('still has the strips after a restart of the server', async () => {
    await stage.operator.register({ ...owned('ida'), group: 'strip' });
    await stage.operator.heartbeat('ida', { incarnation: 1 });
    const page = await stage.open('/?group=strip');
    const label = () => page.locator('.row[data-id=ida] .strip').getAttribute('aria-label');
    await expect.poll(label).toContain('signs of life in 1 of');
    await stage.restart(async () => {
      await page.locator('.link-state.lost').waitFor();
    });
    await page.locator('.link-state.live').waitFor({ timeout: 20_000 });
    await page.reload();
    await expect.poll(label).toContain('signs of life in 1 of');
  });
});
