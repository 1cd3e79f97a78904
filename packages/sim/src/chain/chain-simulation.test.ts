import { expect, test } from 'vitest';
import { defaultChainScenario, runChainSeed } from './chain-simulation.ts';

test.each([1, 3])(
  'a week of the chain, seed %i: nobody is wrongly killed, and the dead come back',
  (seed) => {
    const { violations, seen } = runChainSeed({ ...defaultChainScenario, seed, days: 7 });
    expect(violations).toEqual([]);
    for (const what of [
      'server killed',
      'server stopped',
      'server crash loop',
      'server spins',
      'told of a server that spins',
      'server replaced',
      'deacon killed',
      'deacon stopped',
      'deacon slow',
      'deacon at its usage limit',
      'deacon asking',
      'deacon replaced',
      'heartbeat torn',
      'heartbeat of the future',
      'machine suspended',
      'clock set',
      'daemon killed',
      'daemon restarted in a row',
      'tmux died',
      'tmux missing',
      'tmux hung',
      'triage hangs',
      'START',
      'WAKE',
      'RESTART',
      'ESCALATE',
      'killed server, stopped',
      'killed deacon, wedged',
      'server latched',
      'server cleared',
      'deacon handed over',
      'member crash loop',
      'member ended by itself',
      'member terminated by a person',
      'agent:witness left-down',
      'shutdown asked for',
      'restart asked for',
      'resume asked for',
      'killed agent:witness, as ordered',
    ])
      expect([what, seen.get(what) ?? 0]).toEqual([what, expect.toSatisfy((count: number) => count > 0)]);
  },
);

test('the same seed gives the same run', () => {
  const scenario = { ...defaultChainScenario, seed: 2, days: 1 };
  expect(runChainSeed(scenario)).toEqual(runChainSeed(scenario));
});
