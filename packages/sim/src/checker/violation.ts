import type { SimAgent } from '../agents/sim-agent.ts';

/** One sentence per invariant that the simulator checks; the numbers are the design's. */
export const INVARIANTS = {
  1: 'an agent that keeps its promises is never accused or terminated',
  2: 'a dead or stuck agent is noticed by its deadline, one tick and grace',
  3: 'the ladder only moves forward, and each step is decided once',
  5: 'nothing of a stale incarnation succeeds',
  6: 'termination needs two sources and a re-check',
  7: 'a mass failure brakes what would hit single agents',
  8: 'recovery stays inside its limits',
  9: 'after faults heal, every agent reaches its true state',
  10: 'a breaker lets through no more than it may, and forgets a lost permit',
  11: 'bad input changes nothing',
} as const;

export type InvariantNumber = keyof typeof INVARIANTS;

export type Violation = {
  readonly invariant: InvariantNumber;
  readonly agent: string;
  readonly slot: number;
  /** By the monitor's clock, as in a trace; and the true time, for playing it again. */
  readonly at: number;
  readonly trueAt: number;
  readonly what: string;
  /** How many inputs had been folded by then. */
  readonly inputs: number;
};

/** Where the checker's parts report to. */
export interface Reporter {
  report(invariant: InvariantNumber, agent: SimAgent, at: number, what: string): void;
}
