import type { HolterEvent } from '@holter/core';
import { describe, expect, test } from 'vitest';
import type { SimAgent } from '../agents/sim-agent.ts';
import { DAY_START, defaultScenario, HOUR, MINUTE, type Scenario } from '../base/scenario.ts';
import type { Fault } from '../world/faults.ts';
import type { Witness } from '../world/witness.ts';
import { Simulation } from './simulation.ts';

const GROUPS = 20;
const FALLS_AT = DAY_START + HOUR / 3;
/** Nobody has a trouble of its own, so that whatever happens is the switch's or the power's doing. */
const scenario: Scenario = {
  ...defaultScenario,
  agents: 25 * GROUPS,
  hours: 2,
  faults: [],
  only: ['steady-worker'],
};

class Diary implements Witness {
  readonly events: HolterEvent[] = [];
  killed = 0;

  folded(_agent: SimAgent, _at: number, ...[, result]: Tail<Parameters<Witness['folded']>>): void {
    for (const event of result.events) if (event.type !== 'AGENT_HEARTBEAT') this.events.push(event);
  }

  claimed(_agent: SimAgent, _at: number, ...[effect]: Tail<Parameters<Witness['claimed']>>): void {
    if (effect.kind === 'terminate') this.killed++;
  }

  of(type: HolterEvent['type']): readonly HolterEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  delivering(): void {}
  enrolled(): void {}
  deciding(): void {}
  stalled(): void {}
  truthChanged(): void {}
  inspect(): void {}
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, unknown, ...infer Rest] ? Rest : never;

function fall(fault: Fault): { readonly diary: Diary; readonly simulation: Simulation } {
  const diary = new Diary();
  const simulation = new Simulation(scenario, { witnesses: [diary] });
  simulation.world.addFault(fault);
  simulation.run(undefined, 1);
  expect(simulation.violations).toEqual([]);
  expect(diary.killed).toBe(0);
  // An alert for each group, and an end: the brake is never stuck. (Where nobody waits, nobody asks for the end.)
  expect(diary.of('MASS_FAILURE').length).toBeGreaterThanOrEqual(GROUPS);
  expect(diary.of('MASS_FAILURE_OVER').length).toBeGreaterThanOrEqual(GROUPS);
  return { diary, simulation };
}

/** Who is called FAILING or STUCK for anything but its own calls, which fail now and then on any day. */
const accused = ({ world }: Simulation): readonly string[] =>
  world.agents.flatMap(({ slot, name }) => {
    const { health, points } = world.monitor.agentOf(slot)?.hard ?? { health: 'unheard of', points: [] };
    const isOwnFault = points.some(({ kind }) => kind === 'consecutive-failures');
    return health === 'HEALTHY' || health === 'DEGRADED' || isOwnFault ? [] : [`${name} ${health}`];
  });

describe('five hundred agents fall at once', { timeout: 120_000 }, () => {
  test('because of a switch: nobody is stopped, and all are well again afterwards', () => {
    const forMs = 20 * MINUTE;
    const { diary, simulation } = fall({ kind: 'blackout', at: FALLS_AT, forMs, partition: 'both' });
    // Who beats every five minutes is missed a quarter of an hour later, and may be a crowd of its own.
    expect(diary.of('MASS_FAILURE').length).toBeLessThanOrEqual(2 * GROUPS);
    expect(diary.of('AGENT_RETURNED').length).toBeGreaterThan(400);
    expect(accused(simulation)).toEqual([]);
  });

  test('because of the power: all that can be brought back are, a few at a time', () => {
    const { diary, simulation } = fall({ kind: 'blackout', at: FALLS_AT, forMs: 0, partition: 'none' });
    const local = simulation.world.agents.filter(({ profile }) => profile.isLocal);
    expect(diary.of('MASS_FAILURE')).toHaveLength(GROUPS);
    expect(local.length).toBeGreaterThan(200);
    expect(diary.of('RECOVERY_INITIATED').length).toBeGreaterThanOrEqual(local.length);
    expect(local.every(({ isRunning }) => isRunning)).toBe(true);
    const startedAt = diary.of('RECOVERY_INITIATED').map(({ at }) => at);
    // Not before the calm, and not as one storm.
    expect(Math.min(...startedAt)).toBeGreaterThan(FALLS_AT + 2 * MINUTE);
    expect(Math.max(...startedAt) - Math.min(...startedAt)).toBeGreaterThan(4 * MINUTE);
  });
});
