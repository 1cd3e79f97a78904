import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttp, type TestServer } from '../http/kit.ts';
import { isToolThere } from '../tool-there.ts';
import { Mail, OWN } from './kit.ts';

const run = promisify(execFile);
const page = readFileSync(new URL('../../../../docs/remote-agents.md', import.meta.url), 'utf8');
const snippet = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startHttp();
  folder = mkdtempSync(join(tmpdir(), 'holter-mail-'));
  writeFileSync(join(folder, 'work'), '#!/bin/sh\ncat >> done.txt\necho >> done.txt\n');
  chmodSync(join(folder, 'work'), 0o755);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const TIMESTAMP = '2025-01-15T10:30:00Z';
const CLIENTS = [
  ['bash', 'bash', 'jq'],
  ['python', 'python3', 'python3'],
  ['typescript', process.execPath, process.execPath],
] as const;

for (const [language, command, tool] of CLIENTS)
  it.runIf(await isToolThere(tool))(
    `the client of docs/remote-agents.md in ${language} answers a ping and does its work`,
    async () => {
      const agentId = `in-${language}`;
      const { token } = await server.client(server.tokens.enroll).register({ agentId, instanceId: 'i' });
      const operator = new Mail(server, server.tokens.operator);
      await operator.send(OWN, agentId, {
        content: { type: 'heartbeat', message: 'ping', timestamp: TIMESTAMP, sequence: 42 },
      });
      await operator.send(OWN, agentId, { content: { type: 'task', message: `do it in ${language}` } });
      const env = {
        ...process.env,
        HOLTER_URL: server.url,
        HOLTER_TOKEN: token,
        HOLTER_AGENT_ID: agentId,
        WAIT: '0',
        no_proxy: '*',
      };
      const how = language === 'typescript' ? ['--input-type=module', '-e'] : ['-c'];
      await run(command, [...how, snippet(language)], { cwd: folder, env, timeout: 60_000 });
      expect((await server.engine.read(agentId))?.soft.pongAt).toBeGreaterThan(0);
      expect((await server.engine.read(agentId))?.hard.phase).toBe('waits for work');
      const [pong] = await server.store.listLetters({ of: OWN, box: 'inbox', other: agentId, limit: 1 });
      expect(JSON.parse(pong?.content ?? '')).toMatchObject({
        sequence: 42,
        original_timestamp: TIMESTAMP,
        response_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
      expect(await operator.list(OWN, `&action=sent&status=unacknowledged&to=${agentId}`)).toEqual([]);
      expect(readFileSync(join(folder, 'done.txt'), 'utf8')).toContain(`do it in ${language}\n`);

      const round = () =>
        run(command, [...how, snippet(language)], { cwd: folder, env, timeout: 60_000 }).then(
          () => 0,
          ({ code }: { code: number }) => code,
        );
      const mallory = await Mail.register(server, `mallory-${language}`);
      const stop = (message: string) => ({ priority: 'urgent', content: { type: 'stop', message } });
      await mallory.send(`mallory-${language}`, agentId, stop(`stop ${language}, says mallory`));
      expect(await round()).toBe(0);
      await operator.send(OWN, agentId, stop(`stop ${language}, says Holter`));
      expect(await round()).toBe(3);
      expect((await server.engine.read(agentId))?.hard.end).toMatchObject({ how: 'stopped' });
      const done = readFileSync(join(folder, 'done.txt'), 'utf8');
      expect(done).toContain(`stop ${language}, says mallory`);
      expect(done).not.toContain(`stop ${language}, says Holter`);
    },
  );
