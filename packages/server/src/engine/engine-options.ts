import type { HealthState, Instant, PriceTable } from '@holter/core';
import type { PolicySet } from '../policy/index.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { Executor } from './executor.ts';
import type { ChannelsFor } from './fan-out.ts';
import type { OwnCommit } from './follower.ts';
import type { LateServer } from './server-list.ts';

export type EngineOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly policies: PolicySet;
  /** Prices of models beside those of the policies; default: none is known. */
  readonly prices?: PriceTable;
  readonly executors: readonly Executor[];
  /** Default: a notice is stored once, without copies per channel. */
  readonly channelsFor?: ChannelsFor;
  readonly sha256: (text: string) => string;
  readonly newId: () => string;
  /** Can't be guessed: for keys that prove something. */
  readonly newSecret: () => string;
  /** Where this server runs, as the others tell people; default: its id. */
  readonly name?: () => string;
  /** Since when a person has stopped Holter's own acts; null while it may act. Default: it may. */
  readonly estop?: () => Estop | null;
  /** No other engine uses this store, so effects claimed before the start can be claimed again at once. */
  readonly isAlone?: boolean;
  /** Called after a due agent was checked. */
  readonly checked?: (check: HealthCheck) => void;
  /** Called for a broken invariant. The agent's record is unchanged and the monitor keeps running. */
  readonly onBug: (error: unknown) => void;
  /** Most inputs that may be queued; above it, soft signals are refused. */
  readonly inboxMax?: number;
  /** Most agents judged, or soft facts written, before the next tick gets its turn. */
  readonly sliceMax?: number;
  /** Most records kept in memory; of idle agents beyond it, only what a plain beat needs. */
  readonly cellsMax?: number;
};

export type HealthCheck = {
  readonly agentId: string;
  readonly begunAt: Instant;
  readonly endedAt: Instant;
  /** The health that was found; null when the agent is not known. */
  readonly state: HealthState | null;
};

export type CommittedListener = (own: OwnCommit) => void;

export type EngineHealth = {
  readonly store: 'ok' | 'unavailable';
  readonly storeReason: string | null;
  readonly tickLagMs: number;
  readonly queueDepth: number;
  readonly softWaiting: number;
  readonly lastTickAt: Instant | null;
  /** Of several servers, those that have ticked late again and again. */
  readonly lateServers: readonly LateServer[];
  readonly stallCount: number;
  /** Share of the last hour in which silence was not held against agents, because Holter itself was stalled. */
  readonly graceShare: number;
  readonly brakes: readonly string[];
  readonly cells: number;
  readonly estop: Estop | null;
};

/** A person has stopped Holter's own acts. */
export type Estop = { readonly at: number; readonly by: string; readonly reason: string };

export type EngagedBrake = {
  readonly group: string;
  readonly engagedAt: Instant;
  /** When the next waiting act may run; null until the group has calmed down. */
  readonly releaseAt: Instant | null;
};

/** The input queue is full. Soft signals may be sent again later. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
}
