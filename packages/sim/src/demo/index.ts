import type { Clock, DemoWorld } from '@holter/server';
import { fastClock } from './fast-clock.ts';
import { startDemo } from './start-demo.ts';

/** Two minutes of watching are forty minutes of the agents' lives. */
export const DEMO_SPEED = 20;

/** A world for `startServer`: about 25 simulated agents, faster than life. */
export function demoWorld(wall: Clock, speed: number = DEMO_SPEED): DemoWorld {
  const clock = fastClock(wall, speed);
  return { clock, speed, begin: (parts) => startDemo(clock, parts) };
}
