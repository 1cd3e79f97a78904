import type { HolterEvent } from '@holter/core';
import type { Store } from '@holter/server';
import { Random } from '../base/random.ts';
import { CrashPlan } from './crash-plan.ts';
import { CrashWorld, NAMES } from './crash-world.ts';

/** Above the streams of other drawings. */
const STREAM = 4_000_000;
const SECONDS = 120;

/** What an agent does in one second. */
type Part = (world: CrashWorld, name: string, second: number) => Promise<void> | void;

const PARTS: readonly ((random: Random) => Part)[] = [
  () => (world, name) => world.beat(name),
  (random) => {
    const last = 5 + random.below(60);
    return (world, name, second) => (second <= last ? world.beat(name) : undefined);
  },
  (random) => {
    const [on, off] = [1 + random.below(10), 1 + random.below(15)];
    return (world, name, second) => (second % (on + off) < on ? world.beat(name) : undefined);
  },
  (random) => {
    const every = 2 + random.below(4);
    return async (world, name, second) => {
      await world.beat(name);
      // The loop goes on until the instance that loops is gone.
      if (second % every === 0 && world.truth.running.get(name) === `${name}-1`) await world.loop(name);
    };
  },
  (random) => {
    const at = 5 + random.below(60);
    const signal = random.chance(0.5) ? 'SIGSEGV' : 'SIGKILL';
    return async (world, name, second) => {
      await world.beat(name);
      if (second === at) world.die(name, signal);
    };
  },
  (random) => {
    const every = 3 + random.below(10);
    return async (world, name, second) => {
      await world.beat(name);
      if (second % every === 0) world.report(name);
    };
  },
];

/** Five agents whose parts the seed draws, without crashes of Holter: all events, in the order of the log. */
export async function drawnRun(
  seed: number,
  store: Store,
  isAlone: boolean,
): Promise<readonly HolterEvent[]> {
  const world = new CrashWorld(store, new CrashPlan({}, () => undefined), isAlone);
  await world.boot();
  const parts = NAMES.map((name, index) => {
    const random = new Random(seed, STREAM + index);
    world.start(name, `${name}-1`);
    return { name, play: PARTS[random.below(PARTS.length)]?.(random) };
  });
  for (let second = 1; second <= SECONDS; second++) {
    for (const { name, play } of parts) await play?.(world, name, second);
    await world.second();
  }
  return world.events();
}
