import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from './kit.ts';

const run = promisify(execFile);
const page = readFileSync(new URL('../../../../docs/pings.md', import.meta.url), 'utf8');
const snippet = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startHttp();
  folder = mkdtempSync(join(tmpdir(), 'holter-ping-'));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** The newest run that was reported by these commands, in a folder with a `backup.sh` that ends with the code. */
async function reported(agentId: string, [command, ...args]: readonly string[], code = 0): Promise<unknown> {
  writeFileSync(join(folder, 'backup.sh'), `#!/bin/sh\necho copied >&2\nexit ${code}\n`);
  chmodSync(join(folder, 'backup.sh'), 0o755);
  const { path } = await server.operator.makePingKey(agentId, { everySeconds: 60 });
  const env = { ...process.env, PING_URL: `${server.url}${path}`, no_proxy: '*' };
  await run(command ?? '', args, { cwd: folder, env, timeout: 60_000 }).catch((error: { code: number }) =>
    expect(error.code).toBe(code),
  );
  const { events } = await server.operator.events({ agentId, type: 'JOB_ENDED' });
  return events.at(-1)?.payload;
}

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

describe('the snippets of docs/pings.md', () => {
  it('report from a crontab', async () => {
    const line = snippet('cron').replace(/^[\d* ]+/, '');
    expect(await reported('cron', ['sh', '-c', line], 0)).toMatchObject({ outcome: 'done', code: 0 });
    expect(await reported('cron', ['sh', '-c', line], 7)).toMatchObject({ outcome: 'failed', code: 7 });
  });

  it.each([0, 3])('report from a shell script that ends with %i', async (code) => {
    const outcome = code === 0 ? 'done' : 'failed';
    const payload = await reported(`shell-${code}`, ['sh', '-c', snippet('sh')], code);
    expect(payload).toMatchObject({ outcome, code, output: 'copied', durationMs: expect.any(Number) });
  });

  it.runIf(hasPython)('report from Python', async () => {
    const payload = await reported('python', ['python3', '-c', snippet('python')]);
    expect(payload).toMatchObject({ outcome: 'done', output: '42 rows copied' });
  });
});
