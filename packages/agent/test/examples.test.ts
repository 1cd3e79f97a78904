import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { FakeServer } from './fake-server.ts';
import { together } from './kit.ts';

async function runExample(
  name: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; text: string }> {
  const file = fileURLToPath(new URL(`../../../examples/agents/${name}`, import.meta.url));
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, text };
}

together('the EventEmitter agent', async () => {
  const { code, text } = await runExample('event-emitter-agent.mjs');
  expect(text.trim().split('\n')).toEqual([
    'researcher is healthy',
    'researcher is degraded: missed_heartbeat',
    'researcher is gone: event-loop-freeze',
    'researcher is back',
    '1 disconnection',
  ]);
  expect(code).toBe(0);
});

together('the plain async loop, with a server and without', async () => {
  const server = await new FakeServer().start();
  const heard = await runExample('async-loop.mjs', { HOLTER_URL: server.url, HOLTER_TOKEN: 't' });
  expect(heard).toEqual({ code: 0, text: 'closed, 0 dropped, all heard\n' });
  expect(server.kinds()).toEqual(expect.arrayContaining(['heartbeat', 'task-ended', 'stopped']));
  await server.stop();
  const alone = await runExample('async-loop.mjs', { HOLTER_URL: server.url, HOLTER_TOKEN: 't' });
  expect(alone).toEqual({ code: 0, text: 'closed, 0 dropped, unreachable\n' });
});

together('the tool loop against a scripted model', async () => {
  const server = await new FakeServer().start();
  const { code, text } = await runExample('tool-loop.mjs', { HOLTER_URL: server.url, HOLTER_TOKEN: 't' });
  expect(text).toMatch(
    /read\(missing\.txt\): no such file[\s\S]*The summary is written\.\ncheckpoint: written/,
  );
  expect(code).toBe(0);
  const ended = server.signals.filter(({ kind }) => kind === 'call-ended');
  expect(ended.map(({ tool, isError }) => [tool, isError])).toEqual([
    ['read', false],
    ['read', true],
    ['write', false],
  ]);
  expect(server.signals.filter(({ kind }) => kind === 'tokens').at(-1)).toMatchObject({ total: 440 });
  await server.stop();
});
