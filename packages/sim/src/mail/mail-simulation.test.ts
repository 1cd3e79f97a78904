import { expect, test } from 'vitest';
import { defaultMailScenario, runMailSeed } from './mail-simulation.ts';

test.each([1, 2])(
  'agents with a mailbox are judged by their answers, seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const { violations, seen } = await runMailSeed({ ...defaultMailScenario, seed });
    expect(violations).toEqual([]);
    for (const what of [
      'deaf',
      'blocked',
      'dead',
      'cut off',
      'server died',
      'forged',
      'flooded',
      'box full',
      'called unknown',
      'called FAILING',
      'task cannot_continue',
      'stalled task, to warn',
      'stalled task, to act',
    ])
      expect([what, seen.get(what) ?? 0]).toEqual([what, expect.toSatisfy((count: number) => count > 2)]);
  },
);

test('the same seed gives the same run', { timeout: 120_000 }, async () => {
  const scenario = { ...defaultMailScenario, seed: 3, hours: 1 };
  expect(await runMailSeed(scenario)).toEqual(await runMailSeed(scenario));
});
