import type { Clock, DemoWorld as DemoOptions } from '@holter/server';
import { DemoWorld } from './demo-world.ts';
import { fastClock } from './fast-clock.ts';

/** Two minutes of watching are forty minutes of the agents' lives. */
export const DEMO_SPEED = 20;

/** A world for `startServer`: about 25 simulated agents, faster than life. */
export function demoWorld(wall: Clock, speed: number = DEMO_SPEED): DemoOptions {
  const clock = fastClock(wall, speed);
  return { clock, speed, begin: (parts) => new DemoWorld(clock, parts).begin() };
}
