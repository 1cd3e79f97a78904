import { instant } from '@holter/core';
import type { Clock } from '@holter/server';

/** The clock on the wall, but faster: everything that goes by it keeps its proportions. */
export function fastClock(wall: Clock, speed: number): Clock {
  const start = wall.now();
  return {
    now: () => instant(Math.floor(start + (wall.now() - start) * speed)),
    after: (ms, callback) => wall.after(ms / speed, callback),
  };
}
