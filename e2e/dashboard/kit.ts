import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@holter/server/local';
import { identityOf, systemHostId, systemTable } from '@holter/server/process';
import { type HolterProcess, startHolter } from '../holter-process.ts';
import { type Browser, type BrowserContext, chromium, expect, type Locator, type Page } from './browser.ts';

export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Short times, so that a test sees a whole ladder. No brake, because on a busy machine many agents are late at once. */
const POLICY = `
fleet: { brake: { losses_min: 1000 } }
health_monitoring:
  health_check: { interval_seconds: 1 }
  intervention:
    nudge: { max_attempts: 1, interval_seconds: 600 }
    termination: { cleanup_timeout_seconds: 3 }
rules: { settle: 1 }
`;

export type Stage = {
  /** Where the server keeps its data, in `data`; tests may put files beside it. */
  readonly folder: string;
  readonly holter: HolterProcess;
  readonly browser: Browser;
  readonly operator: Client;
  /** A logged-in page; every problem that the browser reports fails the test that ends with `close`. */
  open(path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  link(role?: 'viewer'): Promise<string>;
  restart(whileDown: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

/** A real server, a real browser, and the connection between them. */
export async function openStage(executablePath: string, morePolicy = ''): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'holter-page-'));
  writeFileSync(join(folder, 'policy.yaml'), `${POLICY}${morePolicy}`);
  const args = ['--config', 'policy.yaml', '--log-level', 'warn'];
  let holter = await startHolter(folder, ['--port', '0', ...args]);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const contexts: BrowserContext[] = [];
  const operator = createClient({ url: holter.url, token: holter.token('operator') });
  const link = async (role?: 'viewer'): Promise<string> =>
    `${holter.url}${(await operator.makeLoginSecret(role ? { role } : {})).path}`;
  return {
    folder,
    get holter() {
      return holter;
    },
    browser,
    operator,
    link,
    open: async (path = '/', options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      await page.goto(await link());
      await page.locator('.link-state.live').waitFor();
      if (path !== '/') await page.goto(`${holter.url}${path}`);
      return page;
    },
    restart: async (whileDown) => {
      const { port } = holter;
      await holter.end('SIGTERM');
      await whileDown();
      holter = await startHolter(folder, ['--port', String(port), ...args]);
    },
    close: async () => {
      for (const context of contexts) await context.close();
      await browser.close();
      await holter.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An agent whose process Holter may terminate and restart if a person decides so. */
export const owned = (agentId: string) => ({
  agentId,
  instanceId: `${agentId}-1`,
  group: 'crew',
  mode: 'act' as const,
  taskId: 'write-tests',
  can: ['nudge' as const, 'terminate' as const, 'spawn' as const],
  executor: 'nobody-home',
  promises: { tasks: true },
});

/** This process takes the place of the `holter run` that owns the agent and could start it again. */
export async function presentRun({ holter }: Stage, agentId: string): Promise<string> {
  const table = systemTable();
  const row = table?.row(process.pid);
  if (!table || !row) throw new Error('no process table');
  const executor = `run:${agentId}`;
  const record = {
    agentId,
    incarnation: 1,
    runId: agentId,
    hostId: systemHostId(),
    run: identityOf(table, row),
    child: null,
    nudgeFile: null,
    onLost: 'adopt',
  };
  const post = (path: string, body: unknown) =>
    fetch(`${holter.url}/v1/executors/${executor}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${holter.token('operator')}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await post('', record)).status).toBe(200);
  // It counts from its first poll on, and for as long as it polls.
  expect((await post('/poll', { have: [], waitSeconds: 0 })).status).toBe(200);
  void post('/poll', { have: [], waitSeconds: 25 }).catch(() => undefined);
  return executor;
}

export const failing = { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 };

/** With `failing`, a second source: without it Holter never stops an agent by itself. */
export const frozen = () => ({
  kind: 'finding',
  finding: {
    ...{ kind: 'frozen', severity: 'act', source: 'operating-system', since: Date.now() },
    ...{ evidence: 'its process is stopped', threshold: '30 s stopped' },
  },
  incarnation: 1,
});

/** The triage dismisses it, unless it is written with another severity. */
export const lowTicket = (agentId: string) => ({
  worker_agent_id: agentId,
  worker_session_id: agentId,
  worker_node_id: 'node',
  worker_graph_id: 'graph',
  severity: 'low',
  cause: 'a slow start',
  judge_reasoning: 'It is reading.',
  suggested_action: 'wait',
  recent_verdicts: ['RETRY'],
  total_steps_checked: 1,
  steps_since_last_accept: 1,
  stall_minutes: null,
  evidence_snippet: 'Let me read this first.',
});

/** The button of a decision about an agent, or about the first in a list: the recommended one, or in the menu. */
export async function openDecision(place: Page | Locator, name: string): Promise<void> {
  const button = place.getByRole('button', { name, exact: true });
  const menu = place.locator('.decision-bar summary').first();
  await expect.poll(async () => (await button.count()) + (await menu.count())).toBeGreaterThan(0);
  if (!(await button.first().isVisible())) await menu.click();
  await button.first().click();
}

/** Opens the dialog of a decision, fills in a reason and submits it. Returns the preview of the dialog. */
export async function decide(
  page: Page,
  name: string,
  { more = async () => undefined, button = name }: { more?: () => Promise<void>; button?: string } = {},
): Promise<string> {
  await openDecision(page, button);
  const dialog = page.getByRole('dialog');
  const preview = (await dialog.locator('.preview').textContent()) ?? '';
  expect(preview).toContain('What will happen');
  await more();
  await dialog.getByLabel('Reason').fill('a test says so');
  await dialog.getByRole('button', { name, exact: true }).click();
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
  return preview;
}
