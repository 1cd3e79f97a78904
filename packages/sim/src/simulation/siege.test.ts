import { expect, test } from 'vitest';
import { siege } from '../soak/draw-scenario.ts';
import type { Witness } from '../world/witness.ts';
import { Simulation } from './simulation.ts';

/** What the adversaries achieved. */
class Diary implements Witness {
  readonly seen = new Set<string>();

  folded(...[, , , { events, deferrals = [] }]: Parameters<Witness['folded']>): void {
    for (const event of events)
      if (event.type === 'MASS_FAILURE_OVER' && event.payload.isSpent) this.seen.add('a brake was spent');
    for (const { kind, because } of deferrals) this.seen.add(`a ${kind} waited for the ${because}`);
  }

  delivering(): void {}
  enrolled(): void {}
  claimed(): void {}
  deciding(): void {}
  stalled(): void {}
  truthChanged(): void {}
  inspect(): void {}
}

test('adversaries that fall silent together brake no group for long', { timeout: 120_000 }, () => {
  const diary = new Diary();
  const simulation = new Simulation({ ...siege, seed: 1 }, { witnesses: [diary] });
  simulation.run(undefined, 1);
  expect(simulation.violations).toEqual([]);
  for (const what of ['a brake was spent', 'a notice waited for the brake'])
    expect(diary.seen).toContain(what);
});
