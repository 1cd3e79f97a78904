import type { HolterEvent } from '@holter/core';

/** One sentence per invariant; the numbers are those of ARCHITECTURE.md, and 0 is for bugs that a server reports. */
export const INVARIANTS = {
  0: 'a server reports no bug of its own',
  1: 'an agent that keeps its promises is never accused or terminated',
  2: 'a dead or stuck agent is noticed by its deadline, one tick and grace',
  3: 'the ladder only moves forward, within its times, and each step is decided once',
  4: 'a crash loses no timer, no acknowledged event and no effect',
  5: 'nothing of a stale incarnation succeeds',
  6: 'termination needs two sources and a re-check',
  7: 'a mass failure brakes what would hit single agents',
  8: 'recovery stays inside its limits',
  9: 'after faults heal, every agent reaches its true state',
  10: 'a breaker lets through no more than it may, and forgets a lost permit',
  11: 'bad input changes nothing',
  12: 'an agent can not end, freeze or take over its own supervision or another’s',
  13: 'pending effects are bounded by what is open',
} as const;

export type InvariantNumber = keyof typeof INVARIANTS;

export type Violation = {
  readonly invariant: InvariantNumber;
  /** The agent; or the group, the reader or the server that it is about. */
  readonly agentId: string;
  /** By the checker in Holter's time, as in a trace; by the audit in the world's own time. */
  readonly at: number;
  readonly what: string;
};

export type Report = (invariant: InvariantNumber, agentId: string, at: number, what: string) => void;

/** One line of the event log, and when it was written in the world's own time. */
export type LogEntry = {
  readonly cursor: number;
  readonly at: number;
  readonly agentId: string;
  readonly event: HolterEvent;
};

/** An effect that was really carried out, as its executor saw it. */
export type Execution = {
  readonly effectId: string;
  readonly kind: string;
  readonly agentId: string;
  readonly incarnation: number;
  /** Which server had it carried out. */
  readonly by: number;
  readonly from: number;
  /** NaN while it is under way; a server that was killed in the middle leaves it so. */
  to: number;
  /** The newest line of the log when it began. */
  readonly cursor: number;
};
