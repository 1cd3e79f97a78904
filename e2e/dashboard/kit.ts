import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@holter/server/local';
import { type HolterProcess, startHolter } from '../holter-process.ts';
import { type Browser, type BrowserContext, chromium, expect, type Page } from './browser.ts';

export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Short times, so that a ladder is climbed while a test looks on. */
const POLICY = `
health_monitoring:
  health_check: { interval_seconds: 1 }
  intervention:
    nudge: { max_attempts: 1, interval_seconds: 600 }
rules: { settle: 1 }
`;

export type Stage = {
  readonly holter: HolterProcess;
  readonly browser: Browser;
  readonly operator: Client;
  /** A logged-in page; every problem that the browser reports fails the test that ends with `close`. */
  open(path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  link(role?: 'viewer'): Promise<string>;
  restart(whileDown: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

/** A real server, a real browser, and the way between them. */
export async function openStage(executablePath: string): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'holter-page-'));
  writeFileSync(join(folder, 'policy.yaml'), POLICY);
  const args = ['--config', 'policy.yaml', '--log-level', 'warn'];
  let holter = await startHolter(folder, ['--port', '0', ...args]);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const contexts: BrowserContext[] = [];
  const operator = createClient({ url: holter.url, token: holter.token('operator') });
  const link = async (role?: 'viewer'): Promise<string> =>
    `${holter.url}${(await operator.makeLoginSecret(role ? { role } : {})).path}`;
  return {
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
      await expect.poll(() => page.locator('.link-state').textContent()).toContain('Live');
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

/** An agent whose process Holter may end and start again, if a person says so. */
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

export const failing = { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 };
