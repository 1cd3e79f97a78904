import type { Instant } from '@holter/core';
import type { PolicySet } from '../policy/index.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { Executor } from './executor.ts';
import type { ChannelsFor } from './fan-out.ts';
import type { OwnCommit } from './follower.ts';

export type EngineOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly policies: PolicySet;
  readonly executors: readonly Executor[];
  /** Without it a notice is stored as it was wanted. */
  readonly channelsFor?: ChannelsFor;
  readonly sha256: (text: string) => string;
  readonly newId: () => string;
  /** No other engine works on this store: what was claimed before the start may be taken at once. */
  readonly isAlone?: boolean;
  /** A broken invariant. The agent's record is as it was before; the monitor goes on. */
  readonly onBug: (error: unknown) => void;
  /** Inputs that may wait at once; beyond it soft ones are turned away. */
  readonly inboxMax?: number;
  /** Cells kept in memory; idle ones go first. */
  readonly cellsMax?: number;
};

export type CommittedListener = (own: OwnCommit) => void;

export type EngineHealth = {
  readonly store: 'ok' | 'unavailable';
  readonly storeReason: string | null;
  readonly tickLagMs: number;
  readonly queueDepth: number;
  readonly softWaiting: number;
  readonly lastTickAt: Instant | null;
  readonly stallCount: number;
  /** How much of the last hour nobody's silence counted, because Holter itself did not look. */
  readonly graceShare: number;
  readonly brakes: readonly string[];
  readonly cells: number;
};

export type EngagedBrake = {
  readonly group: string;
  readonly engagedAt: Instant;
  /** Once calm: when the next act that waits may pass. */
  readonly releaseAt: Instant | null;
};

/** Too much is waiting already; soft signals may come again later. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
}
