import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@holter/server/local';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HolterProcess, runHolter, startHolter } from '../holter-process.ts';
import { until } from '../run/kit.ts';
import { CutLink } from './cut-link.ts';
import { Starter } from './starter.ts';

const CONFIG = `
health_monitoring:
  health_check: { interval_seconds: 1 }
  recovery: { backoff_seconds: [0, 0, 0] }
rules: { inquiry_wait: 1s, settle: 0 }
`;

let folder: string;
let holter: HolterProcess;
let link: CutLink;
let starter: Starter;
let serving: Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holter-replace-'));
  writeFileSync(join(folder, 'holter.yaml'), CONFIG);
  holter = await startHolter(folder, ['--port', '0', '--config', join(folder, 'holter.yaml')]);
  link = new CutLink(holter.port);
  starter = new Starter(holter, 'ada', folder);
});
afterEach(async () => {
  starter.close();
  link.close();
  await serving.catch(() => undefined);
  await holter.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

it('replaces a lost agent only when a person approves, and stops the original that comes back', async () => {
  const client = createClient({ url: holter.url, token: holter.token('operator') });
  const original = await starter.start(await link.open());
  serving = starter.serve();
  const events = async (type: string) =>
    (await client.events({ agentId: 'ada' })).events.filter((event) => event.type === type);
  await until('it is heard', async () => (await client.agent('ada')).lastBeatAt !== null);

  link.cut();
  await until('it is a failure', async () => (await client.agent('ada')).state === 'FAILING');
  // It works on behind the cut network, so nobody starts another in its place.
  expect(original.child.exitCode).toBeNull();
  expect(starter.started).toHaveLength(1);

  const decided = await runHolter(folder, ['decide', 'ada', 'replace', '--reason', 'its network is gone']);
  expect({ code: decided.code, err: decided.err }).toMatchObject({ code: 0 });
  const successor = await until('its successor has started', () => starter.started[1]);
  expect(successor.incarnation).toBe(2);
  await until('its successor is heard', async () => (await client.agent('ada')).lastBeatAt !== null);

  link.mend();
  await until('the original has stopped', () => original.child.exitCode !== null);
  expect(original.out()).toContain('told to stop');
  const told = await until('people are told', async () => {
    const messages = (await events('ATTENTION_RAISED')).map(({ payload }) =>
      String((payload as { message: string }).message),
    );
    const returned = messages.filter((message) => message.includes('is heard again'));
    return returned.length > 0 ? returned : null;
  });
  expect(told).toEqual([
    expect.stringContaining('ada was given up and replaced, and its start 1 is heard again.'),
  ]);

  // One of them works, and the log says why.
  expect(successor.child.exitCode).toBeNull();
  expect(await client.agent('ada')).toMatchObject({ incarnation: 2, liveness: 'alive' });
  expect(starter.started).toHaveLength(2);
  expect(await events('AGENT_REGISTERED')).toHaveLength(2);
});
