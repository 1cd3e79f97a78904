import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { until, World } from './kit.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });
const world = new World();
afterAll(() => world.close());

const repo = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const script = join(repo, 'examples', 'agents', 'shell-agent.sh');

/** `holter run` with the real script, which is told to do this. */
function runPlan(name: string, ...plan: readonly string[]) {
  writeFileSync(world.path(`${name}.plan`), `${plan.join('\n')}\n`);
  const command = [script, '--log', `${name}.jsonl`, '--pause', '0.2', `${name}.plan`];
  return world.run('--agent', name, '--json', '--', ...command);
}
const logged = (name: string) => readFileSync(world.path(`${name}.jsonl`), 'utf8');

it('a shell agent that goes in circles is found by its calls, and hears of it', async () => {
  const run = runPlan('circles', 'echo first', 'ls missing', 'echo last; sleep 2');
  const stuck = await world.untilAgent('circles', 'its loop is found', ({ findings }) =>
    findings.some(({ severity }) => severity === 'act'),
  );
  expect(stuck.findings.map(({ kind }) => kind)).toContain('repeated-call');
  expect(stuck.findings.map(({ evidence }) => evidence).join()).toContain('ls missing');
  expect(stuck.mode).toBe('nudge');
  expect(await run.ended).toBe(1);
  expect(logged('circles')).toContain('I give up: ls missing');
  expect(logged('circles')).toContain('echo last');
  await until('its nudge was seen', async () =>
    (await world.receipts('circles')).some(({ outcome }) => outcome === 'seen'),
  );
});

it('one that gets on with its work is left alone, and what was logged before its start is not its own', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => [
    { event: 'call', id: `old-${n}`, command: 'ls missing' },
    { event: 'result', id: `old-${n}`, exit: 2, output: 'ls: missing' },
  ]).flat();
  writeFileSync(world.path('works.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const run = runPlan('works', ...Array.from({ length: 8 }, (_, n) => `echo step ${n}; sleep 0.2`));
  expect(await run.ended).toBe(0);
  const { end, incident } = await world.agent('works');
  expect(end).toMatchObject({ how: 'exit-0' });
  expect(incident).toBeNull();
  expect(await world.events('works')).not.toContain('INCIDENT_OPENED');
});
