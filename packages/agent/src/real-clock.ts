import { randomUUID } from 'node:crypto';

/** The only file of this package that reads a clock or random numbers; all others get them as parameters. */
export type AgentClock = {
  /** Monotonic milliseconds from an arbitrary origin. */
  readonly monotonic: () => number;
  /** Milliseconds since 1970, for people and for the wire. */
  readonly wall: () => number;
};

export const realClock: AgentClock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

export type Dice = {
  /** From 0 up to, but not including, 1. */
  readonly roll: () => number;
  readonly newId: () => string;
};

export const realDice: Dice = { roll: () => Math.random(), newId: () => randomUUID() };
