import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@holter/server';
import { afterAll, expect, it, vi } from 'vitest';
import { until } from '../../packages/server/test/until.ts';
import { type HolterProcess, root, startHolter } from '../holter-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const run = promisify(execFile);
const NAME = 'libs-svg-svgbbox';
const NAMES = /TARGET_AGENT_SESSION_NAME|AGENT_SESSION_NAME|target-agent/g;
const folder = mkdtempSync(join(tmpdir(), 'holter-seed-001-'));
const seed = readFileSync(join(root, 'packages/server/test/fixtures/mail/seed-001.txt'), 'utf8');
const blocks = [...seed.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const inline = [...seed.matchAll(/`(curl [^`]+)`/g)].map(([, command = '']) => command);

let holter: HolterProcess | null = null;
afterAll(async () => {
  await holter?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

it('every curl and jq command of seed 001 runs as printed against `holter up --maestro-port --ecos`', async () => {
  holter = await startHolter(folder, ['--port', '0', '--maestro-port', '0', '--ecos', folder]);
  const client = createClient({ url: holter.url, token: holter.token('operator') });
  const { post } = await client.system();
  const port = post.maestroUrl ?? '';

  /** A command of the text, with another address, name and time. `jq -e '.error'` ends with 1 if there is none. */
  const shell = async (command: string, time = ''): Promise<string> => {
    const script = command
      .replaceAll('http://localhost:23000', port)
      .replace(NAMES, NAME)
      .replace('$(date -u +%Y-%m-%dT%H:%M:%SZ)', time);
    const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_PROJECT_DIR: folder, no_proxy: '*' };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env }).catch(
      (error: { code: number; stdout: string; stderr: string }) => {
        expect(error, error.stderr).toMatchObject({ code: 1 });
        return error;
      },
    );
    return stdout;
  };
  const printed = (part: string): string => {
    const found = blocks.find((block) => block.includes(part));
    if (found === undefined) throw new Error(`the seed has no command with ${part}`);
    return found;
  };
  expect([blocks.length, inline.length]).toEqual([7, 2]);

  await run('curl', [
    ...['-fsS', '-H', 'Content-Type: application/json', '-d', '{"role": "active-development"}'],
    `${port}/api/agents/${NAME}/heartbeat`,
  ]);
  for (const part of ['"message": "ping"', '"message": "pong"', '"type": "status-inquiry"'])
    expect(JSON.parse(await shell(printed(part)))).toMatchObject({ message: { fromVerified: false } });
  expect(await shell(printed('DELIVERY FAILED'))).toBe('null\n');
  expect(await shell(printed('DELIVERY FAILED').replace('target-agent', 'nobody'))).toBe(
    '"agent_not_found"\nDELIVERY FAILED\n',
  );
  // Letters of Holter to agents with tokens are not shown here, and hide none that are.
  const instanceId = 'i';
  await client.register({ agentId: 'with-a-token', instanceId });
  const content = { type: 'task', message: 'please' };
  for (let n = 0; n < 30; n += 1) await client.sendLetter({ to: 'with-a-token', subject: 'Other', content });
  const unacknowledged = await shell(printed('status=unacknowledged'));
  expect(unacknowledged).toContain('"subject": "Task assignment"');
  expect(unacknowledged).not.toContain('"subject": "Other"');
  expect(JSON.parse(await shell(printed('/status"')))).toMatchObject({
    session_name: NAME,
    status: 'online',
    host: 'unknown',
    unread_messages: expect.any(Number),
  });
  for (const command of inline) expect(JSON.parse(await shell(command))).toMatchObject({ status: 'ok' });

  for (const [taskId, expectedInSeconds] of [
    ['late', 60],
    ['in-time', 7_200],
  ] as const)
    await client.task(NAME, { status: 'assigned', taskId, expectedInSeconds });
  const anHourLater = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
  const tracking = join(folder, '.ecos', 'agent-health', 'task-tracking.json');
  await until('the tasks are in the file', () => readFileSync(tracking, 'utf8').includes('in-time'));
  const stalled = await shell(
    `{ ${printed('task-tracking.json').trimEnd()}\n} | jq -s -c 'map(.task_id)'`,
    anHourLater,
  );
  expect(JSON.parse(stalled)).toEqual(['late']);
});
