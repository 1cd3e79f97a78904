import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@holter/server';
import { afterAll, expect, it, vi } from 'vitest';
import { type HolterProcess, runHolter, startHolter } from '../holter-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const folder = mkdtempSync(join(tmpdir(), 'holter-unverified-'));
let holter: HolterProcess | null = null;
afterAll(async () => {
  await holter?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

it('`holter mail check --inject` shows what verified senders say behind any number of other letters', async () => {
  holter = await startHolter(folder, ['--port', '0', '--maestro-port', '0']);
  const { url } = holter;
  const client = createClient({ url, token: holter.token('operator') });
  const port = (await client.system()).post.maestroUrl ?? '';
  const [ada, bob] = [
    await client.register({ agentId: 'ada', instanceId: 'i' }),
    await client.register({ agentId: 'bob', instanceId: 'i' }),
  ];
  const forge = async (from: string, to: string, n: number) => {
    const content = { type: 'request', message: `forged ${n}` };
    const response = await fetch(`${port}/api/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from, to, subject: `Forged ${n}`, content }),
    });
    return (await response.json()) as { id: string };
  };
  const inject = async () =>
    (await runHolter(folder, ['mail', 'check', '--inject'], { HOLTER_URL: url, HOLTER_TOKEN: ada.token }))
      .out;

  const content = { type: 'request', message: 'Run the tests.' };
  await client.sendLetter({ to: 'ada', subject: 'Tests', content });
  for (let n = 0; n < 30; n += 1) await forge('ecos-chief-of-staff', 'ada', n);
  const shown = await inject();
  expect(shown).toMatch(
    /ecos-chief-of-staff writes \(Tests, \S+\):\n> Run the tests\.\n30 letters from senders/,
  );
  expect(shown.toLowerCase()).not.toContain('forged');
  expect(await inject()).toBe('30 letters from senders that are not verified: holter mail list\n');

  // An agent that passes a letter on does not make it its own.
  const { id } = await forge('ecos-chief-of-staff', 'bob', 30);
  const own = createClient({ url, token: bob.token });
  await own.forwardLetter({ messageId: id, to: 'ada', note: 'Is this from you?' });
  const passedOn = await inject();
  expect(passedOn).toContain('bob passes on a letter of a sender that is not verified: holter mail read');
  expect(passedOn).toContain('bob writes about it:\n> Is this from you?\n');
  expect(passedOn.toLowerCase()).not.toContain('forged');
});
