import { expect, test } from 'vitest';
import { defaultEngineScenario, engineReplayLine, runEngineSeed } from './engine-simulation.ts';

/**
 * The real engine in a world that does to it what it can: see `engine-faults.ts` and `store-weather.ts`. What was
 * found so far is told in docs/found-by-simulation.md; `npm run sim:soak` goes on from here.
 */
test.each([1, 2, 3, 4, 5, 6])(
  'a fleet lives through the faults of seed %i',
  { timeout: 120_000 },
  async (seed) => {
    const scenario = { ...defaultEngineScenario, seed, hours: 5 };
    const run = await runEngineSeed(scenario);
    expect({ violations: run.violations, again: engineReplayLine(scenario) }).toEqual({
      violations: [],
      again: engineReplayLine(scenario),
    });
    expect(run.reports).toBeGreaterThan(500);
    expect(run.struck.get('crash')).toBeGreaterThan(0);
  },
);

test('the same seed gives the same run', { timeout: 120_000 }, async () => {
  const scenario = { ...defaultEngineScenario, seed: 9, hours: 3 };
  const [first, second] = [await runEngineSeed(scenario), await runEngineSeed(scenario)];
  expect(second).toEqual(first);
});
