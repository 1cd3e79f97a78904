import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import { World } from './kit.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const world = new World('health_monitoring:\n  health_check: { interval_seconds: 1 }\n');
afterAll(() => world.close());

it('the holter.yaml of a stranger concerns only agents that are started beside it, and only lengthens', async () => {
  mkdirSync(world.path('repo'));
  const yaml = [
    'rules: { silence_act: 40m, silence_warn: 1s }',
    'limits: { step: terminate, runtime_max: 1s }',
    'agents: { other: { limits: { step: terminate } } }',
    'health_monitoring: { enabled: false }',
  ].join('\n');
  writeFileSync(world.path('repo/holter.yaml'), yaml);
  // The child replaces the file, which changes nothing.
  const command = ['sh', '-c', 'echo "rules: {silence_act: 1h}" > holter.yaml; sleep 2; echo done'];
  const run = world.runIn('repo', '--agent', 'guest', '--', ...command);
  expect(await run.ended).toBe(0);
  const lines = run.err().trim().split('\n');
  const about = (words: string): number => lines.filter((line) => line.includes(words)).length;
  for (const path of [
    'limits.step',
    'limits.runtime_max',
    'agents',
    'health_monitoring.enabled',
    'rules.silence_warn',
  ])
    expect(about(` ${path} `), run.err()).toBe(1);
  const settings = { 'rules.silence_act': '40m' };
  expect(await world.agent('guest')).toMatchObject({ patience: { settings } });

  const other = world.run('--agent', 'other', '--', 'true');
  expect(await other.ended).toBe(0);
  expect(await world.agent('other')).toMatchObject({ patience: null });
});
