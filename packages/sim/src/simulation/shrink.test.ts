import { describe, expect, test } from 'vitest';
import { defaultScenario, replayLine, type Scenario } from '../base/scenario.ts';
import type { Witness } from '../world/witness.ts';
import { shrink } from './shrink.ts';
import { Simulation } from './simulation.ts';

const nothing: Witness = {
  delivering() {},
  folded() {},
  enrolled() {},
  claimed() {},
  deciding() {},
  stalled() {},
  truthChanged() {},
  inspect() {},
};

/** A checker that finds fault with something that is known to happen: the first agent of a kind that dies. */
function faultFinder(isAccused: (slot: number, simulation: Simulation) => boolean) {
  return (scenario: Scenario, witnesses: readonly Witness[]): Simulation => {
    const accuser: Witness = {
      ...nothing,
      truthChanged(agent, at) {
        if (agent.truth === 'dead' && isAccused(agent.slot, simulation))
          simulation.report(8, agent.name, at, 'died');
      },
    };
    const simulation: Simulation = new Simulation(scenario, { witnesses: [accuser, ...witnesses] });
    return simulation;
  };
}

const scenario: Scenario = { ...defaultScenario, agents: 40, hours: 8, haste: 6, only: ['crasher', 'idle'] };

function firstFault(simulate: ReturnType<typeof faultFinder>) {
  const simulation = simulate(scenario, []);
  simulation.run(() => simulation.violationCount === 0);
  const [violation] = simulation.violations;
  if (violation === undefined) throw new Error('nobody died, so there is nothing to make smaller');
  return violation;
}

describe('a scenario that breaks is made smaller', { timeout: 60_000 }, () => {
  test('down to one agent, without the faults that do not matter, and can be played again', () => {
    const simulate = faultFinder(() => true);
    const violation = firstFault(simulate);
    const small = shrink(scenario, violation, simulate);
    expect(small.scenario.slots).toEqual([violation.slot]);
    expect(small.scenario.faults.length).toBeLessThan(scenario.faults.length);
    expect(small.scenario.hours).toBeLessThan(scenario.hours);
    expect(small.violation.what).toBe('died');
    expect(small.trace.length).toBeGreaterThan(5);
    expect(small.trace.length).toBeLessThanOrEqual(30);
    expect(replayLine(small.scenario)).toMatch(
      new RegExp(`^npm run sim -- --seed 1 .*--slots ${violation.slot}$`),
    );
    // Whoever pastes the line sees the same agent break.
    const again = simulate(small.scenario, []);
    again.run();
    expect(again.violations[0]).toMatchObject({ slot: violation.slot, what: 'died' });
  });

  test('but no further than it still breaks: two that need each other stay together', () => {
    const simulate = faultFinder((_slot, { world }) => world.agents.length > 1);
    const violation = firstFault(simulate);
    const small = shrink(scenario, violation, simulate);
    expect(small.scenario.slots.length).toBeGreaterThan(1);
    expect(small.scenario.slots.length).toBeLessThan(scenario.agents);
    expect(small.scenario.slots).toContain(violation.slot);
  });
});
