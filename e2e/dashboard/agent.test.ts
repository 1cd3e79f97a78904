import { createClient } from '@holter/server/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, type Page } from './browser.ts';
import { decide, failing, frozen, lowTicket, openStage, owned, presentRun, type Stage } from './kit.ts';

describe.runIf(browserPath)('one agent in a browser', () => {
  let stage: Stage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStage(browserPath, 'judge: { interval_seconds: 1 }\n');
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
    await decide(page, 'Restart');
    await expect.poll(() => effects('cal', 'terminate')).toHaveLength(1);
    await expect.poll(() => page.locator('.inbox').count()).toBe(0);
    // The executor reports its end; then a successor is ordered.
    await stage.operator.signal('cal', { kind: 'exited', code: 137, incarnation: 1 });
    await expect.poll(() => effects('cal', 'spawn')).toHaveLength(1);
  });

  it('is marked as a false alarm: every finding goes, and it is snoozed', async () => {
    await stage.operator.register(owned('dan'));
    await stage.operator.signal('dan', failing);
    await page.goto(`${stage.holter.url}/agents/dan`);
    await page.locator('.findings').waitFor();
    expect(await page.locator('.findings').textContent()).toContain('Limit:');
    await decide(page, 'False alarm');
    await expect.poll(async () => (await stage.operator.agent('dan')).findings).toEqual([]);
    expect((await stage.operator.agent('dan')).quiet?.reason).toBe('a test says so');
  });

  it('shows its checkpoints, calls and breakers, and a person resets one', async () => {
    const { token } = await stage.operator.register(owned('eva'));
    await stage.operator.writeCheckpoint('eva', { checkpointId: 'c-1', content: { done: 3 } });
    const input = { command: 'npm test', token: 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz' };
    const call = { callId: 'k1', tool: 'bash', incarnation: 1, input };
    await stage.operator.signal('eva', [
      { kind: 'call-begun', ...call },
      { kind: 'call-ended', ...call, isError: false, output: '12 passed' },
    ]);
    const failures = Array.from({ length: 20 }, () => ({ generation: 0, permitId: 0 }));
    await stage.operator.tellBreaker('eva', 'external_api', 'failure', failures);
    await page.goto(`${stage.holter.url}/agents/eva`);
    await expect.poll(() => page.locator('.chain').textContent()).toContain('a restart begins here');
    const calls = await page.locator('.calls').textContent();
    expect(calls).toContain('bash npm test, token: [redacted]');
    expect(calls).toContain('12 passed');
    expect(calls).not.toContain('sk-ant');
    expect(await page.locator('.breakers').textContent()).toContain('next trial call in');
    await page.goto(`${stage.holter.url}/breakers`);
    await page.getByRole('button', { name: 'reset' }).click();
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

  it('tells its ladder with times and its events as sentences, with the raw form behind a click', async () => {
    await stage.operator.register(owned('hal'));
    await stage.operator.signal('hal', failing);
    await page.goto(`${stage.holter.url}/agents/hal`);
    await expect
      .poll(() => page.locator('.ladder').textContent())
      .toMatch(/\d\d:\d\d:\d\d.*escalated to a person/);
    const next = () => page.locator('.ladder .to-come').textContent();
    await expect.poll(next).toMatch(/evidence from one source only$/);
    await stage.operator.signal('hal', frozen());
    await expect.poll(next).toContain('unless you decide');
    const event = page.locator('.events details').filter({ hasText: 'healthy → failing' });
    expect(await event.locator('pre').isVisible()).toBe(false);
    await event.locator('summary').click();
    expect(await event.locator('pre').textContent()).toContain('"type": "HEALTH_STATE_CHANGED"');
    // The right end of the lane of acts.
    const canvas = page.locator('.timeline canvas');
    const box = await canvas.boundingBox();
    await canvas.hover({ position: { x: (box?.width ?? 0) - 4, y: 7.5 * 22 } });
    await expect.poll(() => page.getByRole('tooltip').textContent()).toContain('escalated to a person');
  });

  it('counts as seen what is shown, also when it comes up later, and nothing else', async () => {
    for (const agentId of ['ivy', 'joe']) await stage.operator.register(owned(agentId));
    const incident = async (agentId: string) => (await stage.operator.agent(agentId)).incident;
    await page.goto(`${stage.holter.url}/agents/ivy`);
    await page.locator('.facts').waitFor();
    await stage.operator.signal('joe', failing);
    await expect.poll(async () => (await incident('joe'))?.next.why).toContain('not seen yet');
    await stage.operator.signal('ivy', failing);
    await expect.poll(async () => (await incident('ivy'))?.noticedAt).toEqual(expect.any(Number));
    expect((await incident('joe'))?.noticedAt).toBeNull();
  });

  it('says what became of the nudges of its incident', async () => {
    const remote = { agentId: 'kim', instanceId: 'i', can: ['nudge' as const], mode: 'act' as const };
    const { token } = await stage.operator.register({ ...remote, promises: { calls: true } });
    const calls = Array.from({ length: 8 }, (_, i) => {
      const call = { callId: `k${i}`, tool: 'bash', input: { command: 'cat a.ts' }, incarnation: 1 };
      return [
        { kind: 'call-begun', ...call },
        { kind: 'call-ended', ...call, isError: false, output: 'the same' },
      ];
    });
    await stage.operator.signal('kim', calls.flat());
    await page.goto(`${stage.holter.url}/agents/kim`);
    const now = page.locator('.ladder .current');
    await expect.poll(() => now.textContent()).toContain('1 nudge, not read yet');
    const itself = createClient({ url: stage.holter.url, token });
    await expect.poll(async () => (await itself.heartbeat('kim')).directives).toHaveLength(1);
    await expect.poll(() => now.textContent()).toMatch(/1 nudge, (delivered|read)$/);
  });

  it('shows what it prints, without secrets and terminal codes, and follows', async () => {
    await stage.operator.register(owned('lea'));
    const print = async (text: string) => {
      const { status } = await fetch(`${stage.holter.url}/v1/agents/lea/output`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stage.holter.token('operator')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ text }),
      });
      expect(status).toBe(204);
    };
    await page.goto(`${stage.holter.url}/agents/lea`);
    const output = page.locator('.output');
    await Promise.all([page.waitForResponse(/lea\/logs/), page.locator('.facts').waitFor()]);
    expect(await output.count()).toBe(0);
    await print('key sk-ant-api03-abcdefghijklmnopqrstuvwxyz\n\u001b[32mready\u001b[0m\n');
    await expect.poll(() => output.textContent()).toMatch(/^key .*redacted.*\nready\n$/);
    await print(`${'a line\n'.repeat(100)}the last\n`);
    await expect.poll(() => output.textContent()).toMatch(/^key .*\nready\n(a line\n){100}the last\n$/);
    const below = 'const { scrollHeight, scrollTop, clientHeight } = document.querySelector(".output");';
    await expect
      .poll(() =>
        page.evaluate(
          `(() => { ${below} return scrollTop > 0 && scrollHeight - scrollTop - clientHeight < 2 })()`,
        ),
      )
      .toBe(true);
  });

  it('shows its tickets and their checks, on its page and beside its incident, and keeps an answer', async () => {
    await stage.operator.register({ ...owned('mia'), promises: {} });
    await stage.operator.emitTicket(lowTicket('mia'));
    const steps = Array.from({ length: 17 }, (_, index) => {
      const call = { callId: `s${index}`, tool: 'read', input: { path: `${index}.ts` }, incarnation: 1 };
      return [
        { kind: 'call-begun', ...call },
        { kind: 'call-ended', ...call, isError: false, output: `file ${index}` },
        { kind: 'verdict', verdict: 'RETRY', incarnation: 1 },
      ];
    });
    await stage.operator.signal('mia', steps.flat());
    await page.goto(`${stage.holter.url}/agents/mia`);
    const tickets = page.getByRole('list', { name: 'Tickets' });
    await expect.poll(() => tickets.textContent(), { timeout: 20_000 }).toContain('a person was notified');
    const [written = '', dismissed = ''] = await tickets.locator('> li').allTextContents();
    expect(written).toMatch(/^high .*17 since the last accepted one, 17 in all.*RETRY RETRY/);
    expect(dismissed).toMatch(/^low a slow start.*It is reading\..*wait.*dismissed: The ticket is low/);
    expect((await page.locator('.steps li').allTextContents()).at(-1)).toBe('RETRYread → file 16');
    const checks = page.locator('.checks');
    await checks.locator('summary').click();
    await expect.poll(() => checks.textContent()).toMatch(/escalate: .*17/);

    await page.goto(`${stage.holter.url}/incidents`);
    const incident = page.locator('.lines > li').filter({ hasText: 'mia' });
    await expect.poll(() => incident.getByRole('list', { name: 'Tickets' }).textContent()).toContain('high');
    expect(await incident.locator('.checks').textContent()).toContain('escalate: ');
    const others = page.getByRole('region', { name: 'Tickets' });
    expect(await others.textContent()).toContain('dismissed: The ticket is low');
    await decide(page, 'Useful', { button: 'Useful: high ticket about mia' });
    await expect.poll(() => incident.textContent()).toContain('useful says');
    await decide(page, 'False alarm', { button: 'False alarm: high ticket about mia' });
    await expect.poll(() => incident.textContent()).toMatch(/high.*dismissed: false alarm.*false alarm says/);
    const { tickets: kept } = await stage.operator.tickets({ agentId: 'mia', status: 'all' });
    expect(kept[0]).toMatchObject({ answer: { answer: 'false_alarm', reason: 'a test says so' } });
  });

  it('moves on its time axis, and says when there is no such agent', async () => {
    await stage.operator.register(owned('fay'));
    await page.goto(`${stage.holter.url}/agents/fay`);
    await page.getByRole('button', { name: '6 h' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await page.locator('.timeline canvas').getAttribute('aria-label')).toContain('3 h');
    await page.goto(`${stage.holter.url}/agents/unknown`);
    await expect.poll(() => page.locator('.message h2').textContent()).toBe('No agent with this id');
  });
});
