import { describe, expect, test } from 'vitest';
import { defaultScenario, replayLine, type Scenario } from '../base/scenario.ts';
import { reportOf, UNMEASURED } from './report.ts';
import { Simulation } from './simulation.ts';
import { Trace } from './trace.ts';

const small: Scenario = { ...defaultScenario, agents: 24, hours: 3, haste: 4 };

function story(scenario: Scenario, isPedantic = false): string {
  const traces = [3, 11, 19].map((slot) => new Trace(slot, 100_000));
  const simulation = new Simulation(scenario, { witnesses: traces, isPedantic });
  simulation.run();
  const lines = traces.flatMap(({ lines: told }) => told);
  return [...lines, JSON.stringify(reportOf(simulation, UNMEASURED))].join('\n');
}

describe('a run', { timeout: 60_000 }, () => {
  test('is the same, byte for byte, for the same seed', () => {
    expect(story(small)).toBe(story(small));
    expect(story(small)).not.toBe(story({ ...small, seed: 2 }));
  });

  test('is the same when every record goes through JSON after every input', () => {
    expect(story(small, true)).toBe(story(small));
  });

  test('does not change for one agent when another is left out', () => {
    // Faults of groups and limits of the fleet join agents; without them each lives by itself.
    const alone: Scenario = { ...small, faults: ['network', 'stall'] };
    const of = (slots: readonly number[]): string[] => {
      const trace = new Trace(5, 100_000);
      new Simulation({ ...alone, slots }, { witnesses: [trace] }).run();
      return trace.lines;
    };
    expect(of([5, 6])).toEqual(of([4, 5, 7, 9]));
  });
});

test('the line to paste names everything that differs from an ordinary run', () => {
  expect(replayLine(defaultScenario)).toBe('npm run sim -- --seed 1 --agents 1000 --hours 24');
  expect(replayLine({ ...small, seed: 9, faults: [], slots: [4, 5] })).toBe(
    'npm run sim -- --seed 9 --agents 24 --hours 3 --haste 4 --faults none --slots 4,5',
  );
});

// Three hundred worlds, each with its own troubles and faults. A failure names its seed; `holter sim` with that
// seed tells the story.
describe('the invariants hold', () => {
  const perTest = 20;
  for (let first = 1; first <= 300; first += perTest) {
    test(`for seeds ${first} to ${first + perTest - 1}`, { timeout: 60_000 }, () => {
      for (let seed = first; seed < first + perTest; seed++) {
        const scenario: Scenario = { ...defaultScenario, agents: 12, hours: 3, haste: 5, seed };
        const simulation = new Simulation(scenario);
        simulation.run(undefined, 1);
        const [violation] = simulation.violations;
        expect(violation && { ...violation, again: replayLine(scenario) }).toBeUndefined();
      }
    });
  }
});

test('a dead agent is found although the monitor loses 1.1 s every 10 s for hours', {
  timeout: 60_000,
}, () => {
  const scenario: Scenario = {
    ...defaultScenario,
    agents: 30,
    hours: 12,
    haste: 3,
    faults: ['hiccup'],
    only: ['crasher', 'zombie', 'freezer'],
  };
  const simulation = new Simulation(scenario);
  simulation.run();
  expect(simulation.violations).toEqual([]);
  expect(simulation.tally.detectionMs.length).toBeGreaterThan(20);
  expect(Math.max(...simulation.tally.detectionMs)).toBeLessThan(300_000);
});
