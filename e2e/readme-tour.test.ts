import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment, freePort, root } from './holter-process.ts';

/** The shell blocks of the README's tour, in order: the first starts the server, the others are the visitor's. */
function tourBlocks(): readonly string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const tour = /^## The tour\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
  return [...tour.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '');
}

const [startBlock = '', ...visitorBlocks] = tourBlocks();
const folder = mkdtempSync(join(tmpdir(), 'holter-tour-'));
let environment: Record<string, string> = {};
let server: ChildProcess | null = null;

type Run = { readonly code: number | null; readonly output: string };

/** Starts it in its own process group, because npm and the shells in between do not pass signals on. */
function bash(script: string): ChildProcess {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  return spawn('bash', ['-c', script], { cwd: root, env: environment, stdio, detached: true });
}

async function run(script: string): Promise<Run> {
  const child = bash(script);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

beforeAll(async () => {
  const port = await freePort();
  environment = cleanEnvironment(folder, { HOLTER_PORT: String(port) });
  server = bash(startBlock);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [server?.stdout, server?.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes(`http://127.0.0.1:${port}`)) resolve();
      });
    server?.once('exit', () => reject(new Error(`npm start ended:\n${said}`)));
  });
}, 60_000);

afterAll(async () => {
  if (server?.pid !== undefined && server.exitCode === null) {
    const gone = once(server, 'exit');
    process.kill(-server.pid, 'SIGTERM');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('the tour of the README', () => {
  it('shows with curl alone what it says', { timeout: 60_000 }, async () => {
    expect(visitorBlocks.length).toBeGreaterThan(8);
    // A marker between the blocks separates their outputs.
    const script = `set -euo pipefail\n${visitorBlocks.map((block, index) => `echo "== ${index}"\n${block}`).join('\n')}`;
    const began = Date.now();
    const { code, output } = await run(script);
    expect(output, `exit code ${code}`).toContain(`== ${visitorBlocks.length - 1}`);
    expect(Date.now() - began).toBeLessThan(30_000);
    const shown = [
      /"agentId":"ada","incarnation":1,"token":"[^"]+"/,
      /\{"ok":true,"directives":\[\]\}/,
      /"state":"DEGRADED"/,
      /"state":"STUCK"/,
      /"directives":\[\{"type":"nudge","id":"[^"]+","message":"Holter: REMINDER: You have been working for/,
      /"step":"escalate","attempt":1[\s\S]*ada needs a decision/,
      /"ok":true,"agent":\{"agentId":"ada"/,
      /"checkpointId":"/,
      /"state":"HEALTHY"/,
      /"type":"AGENT_REGISTERED"[\s\S]*"type":"NUDGE_SENT"[\s\S]*"type":"ESCALATION_TRIGGERED"[\s\S]*"type":"DECISION_MADE"/,
      /1 agent: 1 HEALTHY/,
      /ada has been HEALTHY/,
    ];
    let rest = output;
    for (const expected of shown) {
      const found = expected.exec(rest);
      expect(
        found,
        `${expected} is missing after\n${output.slice(0, output.length - rest.length)}\nin\n${rest}`,
      ).not.toBeNull();
      rest = rest.slice((found?.index ?? 0) + 1);
    }
    expect(code, output).toBe(0);
  });
});
