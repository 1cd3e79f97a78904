import type {
  Agent,
  Effect,
  EventType,
  FleetGuard,
  Hard,
  HolterEvent,
  Instant,
  Life,
  ReceiptOutcome,
} from '@holter/core';

/**
 * What the engine needs from a database, and nothing about how. One contract suite runs over every store.
 * Every method may throw `StoreUnavailable`; the engine then acts on nothing until the store is back. A store that
 * outlives its process keeps the version of each record, and gives every older one back as `upcast` makes it.
 */
export type Store = {
  /** An agent with its version; null when nobody knows it. The soft facts are merged in by maximum. */
  load(agentId: string): Promise<StoredAgent | null>;
  /** Those of these agents that exist, in any order. */
  loadMany(agentIds: readonly string[]): Promise<readonly StoredAgent[]>;
  /**
   * Several commits in one transaction, each with its own verdict: a conflict of one leaves the others
   * alone. A commit is all or nothing: agent, fleet, events and effects, or none of them. `seen` is a cursor
   * that the caller knows: a store that has not given it out is an older copy, and refuses (`older`).
   */
  commit(commits: readonly Commit[], seen?: number): Promise<readonly CommitVerdict[]>;
  /** Soft facts, merged by maximum; an entry that is not of the stored incarnation changes nothing. */
  flushSoft(entries: readonly SoftEntry[]): Promise<void>;
  loadFleet(): Promise<StoredFleet>;

  /**
   * Agents whose `wakeAt` has come, earliest first; ties are never skipped. No other claim names them until the
   * lease has ended, or they have been given another `wakeAt`. A lease of 0 only looks.
   */
  claimDue(claim: { at: Instant; leaseMs: number; limit: number }): Promise<readonly DueAgent[]>;
  /** The earliest `wakeAt` of all, so that an idle fleet costs nothing. */
  nextWakeAt(): Promise<Instant | null>;
  /** Ordered by id. */
  listAgents(query: AgentQuery): Promise<Page<StoredAgent>>;
  /** Agents of the group that have not ended, counted when `cursor` was the last event. */
  groupSize(group: string): Promise<{ readonly size: number; readonly cursor: number }>;
  countByHealth(): Promise<Readonly<Record<string, number>>>;

  /**
   * Takes effects for an executor under a lease: what was claimed and not settled comes back when the lease
   * ends. `null` claims what any server may do. Oldest first. `seen` as in `commit`.
   */
  claimEffects(claim: {
    executors: readonly (string | null)[];
    at: Instant;
    leaseMs: number;
    limit: number;
    seen?: number;
  }): Promise<readonly ClaimedEffect[]>;
  /** Final; a second settling of the same effect changes nothing and says so. */
  settleEffect(effectId: string, settlement: Settlement): Promise<'settled' | 'already-settled' | 'unknown'>;
  /**
   * Not now: visible again at `retryAt`; the next claim counts one try more. With `tries`, the number that
   * the claim returned, a claimer whose lease has passed to another can't take it from that one.
   */
  retryEffect(effectId: string, retryAt: Instant, detail: string, tries?: number): Promise<void>;
  /**
   * Not to be done by its claimer alone: any server that hears from the agent may deliver it, and settles it then.
   * Claimable again at `againAt`. `tries` as in `retryEffect`.
   */
  offerEffect(effectId: string, offer: EffectOffer): Promise<void>;
  /** Newest first. */
  listEffects(query: {
    agentId?: string;
    status?: EffectStatus;
    isOffered?: true;
    /** Not settled yet. */
    isOpen?: true;
    limit: number;
  }): Promise<readonly StoredEffect[]>;
  /** What was ordered, offered and settled, in commit order like events; the effect is given as it is now. */
  readEffectChanges(query: { after: number; limit: number }): Promise<readonly EffectChange[]>;
  lastEffectChange(): Promise<number>;

  /** In commit order; a reader that asks for everything after the last cursor never misses a late commit. */
  readEvents(query: EventQuery): Promise<readonly StoredEvent[]>;
  lastCursor(): Promise<number>;

  putCheckpoint(checkpoint: StoredCheckpoint): Promise<'stored' | 'exists'>;
  /** Newest first. */
  listCheckpoints(agentId: string, limit: number): Promise<readonly StoredCheckpoint[]>;

  putToken(token: StoredToken): Promise<void>;
  /** Revoked ones too: look at `revokedAt`. */
  findToken(hash: string): Promise<StoredToken | null>;
  listTokens(): Promise<readonly StoredToken[]>;
  /** False when there is no such token, or it was revoked before. */
  revokeToken(id: string, at: Instant): Promise<boolean>;

  /** Small named values: the last tick, the data folder's id. */
  getMeta(key: string): Promise<string | null>;
  putMeta(key: string, value: string): Promise<void>;
  /** Only if the value is still `expected`, where null is none; returns whether it was. A new value of null removes it. */
  swapMeta(key: string, expected: string | null, value: string | null): Promise<boolean>;
  /** All whose key begins with this, ordered by key. */
  listMeta(prefix: string): Promise<readonly MetaEntry[]>;

  /**
   * One small batch of housekeeping: events older than `before` go (never those of an open incident's agent
   * while it is open), settled effects likewise, and checkpoints but for each agent's newest; hourly roll-ups
   * stay. Returns whether there may be more.
   */
  prune(before: Instant, limit: number): Promise<{ readonly pruned: number; readonly hasMore: boolean }>;
  /**
   * Whole hours from the one that holds `from`, ordered by hour and id. The running state of an agent counts
   * up to `to`, so `to` is now or earlier. TERMINATED is not counted: the dead would fill a row each hour.
   */
  rollups(query: { from: Instant; to: Instant; agentId?: string }): Promise<readonly Rollup[]>;
  /**
   * How long all agents together were in each state, in ms, from the hour that holds `from` up to `to`: the sum of
   * their roll-ups, without a row for each agent and hour on the way.
   */
  stateTime(query: { from: Instant; to: Instant }): Promise<Readonly<Record<string, number>>>;
  /**
   * Takes the place of this writer's page of that time, if there is one. Pages that are more than an hour older
   * than this one go: nobody's strip is longer.
   */
  putStripPage(page: StripPage): Promise<void>;
  /** Pages of `from` and later, up to and without `to`, the oldest first. */
  stripPages(from: Instant, to: Instant): Promise<readonly StripPage[]>;
  /** The last hard state of each earlier incarnation and of a TERMINATED one, newest first; of the newest fifty. */
  listFinalStates(agentId: string, limit: number): Promise<readonly Hard[]>;

  /** A consistent copy while writing goes on; refuses to replace a file. */
  backup(path: string): Promise<void>;
  /** What is wrong with the stored data, in sentences; empty when all is well. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** What a claim found: a record of another version has to be loaded before it is judged. */
export type DueAgent = {
  readonly agentId: string;
  readonly version: number;
  readonly incarnation: number;
  readonly soft: Agent['soft'];
};

export type MetaEntry = { readonly key: string; readonly value: string };

export type StoredAgent = { readonly agent: Agent; readonly version: number };
export type StoredFleet = { readonly fleet: FleetGuard; readonly version: number };

export type Commit = {
  readonly agent: Agent;
  /** 0 for an agent that must not exist yet. */
  readonly expectedVersion: number;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  /** Ended by this commit: effects that live by it and are not claimed now are cancelled first. */
  readonly over?: readonly Life[];
  /**
   * Present when the turn changed the fleet as well. Its versions are marks that nobody else makes, not a count:
   * a turn may build on a fleet that is still on its way into the store, and if that one loses against another
   * server's, the next number would be the same for both.
   */
  readonly fleet?: { readonly fleet: FleetGuard; readonly expectedVersion: number; readonly version: number };
  /** One id from signal to effect, for logs. */
  readonly correlationId: string;
};

export type CommitVerdict =
  | {
      readonly kind: 'ok';
      readonly version: number;
      readonly firstCursor: number | null;
    }
  | { readonly kind: 'conflict'; readonly what: 'agent' | 'fleet' };

export type SoftEntry = {
  readonly agentId: string;
  readonly incarnation: number;
  readonly soft: Agent['soft'];
  /** Beats since the last flush that no commit carried; counted into the hour of `soft.beatAt`. */
  readonly beats?: number;
  /** A look found nothing new: this is when to look again, unless the record has changed meanwhile. */
  readonly wake?: { readonly version: number; readonly at: Instant };
};

export type AgentQuery = {
  readonly health?: string;
  readonly group?: string;
  /** Part of an id, role or group; the case of A to Z does not matter. */
  readonly text?: string;
  readonly hasIncident?: boolean;
  readonly cursor?: string;
  readonly limit: number;
};

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type EffectStatus = 'pending' | 'claimed' | 'done' | 'dead';

export type ClaimedEffect = {
  readonly effect: Effect;
  /** How often it was claimed, this time included. */
  readonly tries: number;
  readonly correlationId: string;
};

export type StoredEffect = ClaimedEffect & {
  readonly status: EffectStatus;
  readonly createdAt: Instant;
  readonly outcome: ReceiptOutcome | 'cancelled' | null;
  readonly detail: string;
  readonly isOffered: boolean;
};

export type EffectOffer = {
  readonly at: Instant;
  readonly againAt: Instant;
  readonly detail: string;
  readonly tries?: number;
};

export type EffectChange = {
  readonly cursor: number;
  readonly what: 'ordered' | 'offered' | 'settled';
  readonly stored: StoredEffect;
};

export type Settlement = {
  readonly at: Instant;
  readonly outcome: ReceiptOutcome | 'cancelled';
  readonly detail: string;
  /** Given up after too many tries; a person is told. */
  readonly isDead?: true;
};

export type EventQuery = {
  readonly after: number;
  /** With it the newest come first, from below this cursor downwards. */
  readonly before?: number;
  readonly limit: number;
  readonly agentId?: string;
  readonly types?: readonly EventType[];
  /** What happened while it was open: events that name it, and others of its agent's commits. */
  readonly incidentId?: string;
};

export type StoredEvent = {
  readonly cursor: number;
  readonly correlationId: string;
  readonly agentId: string;
  readonly event: HolterEvent;
};

export type StoredCheckpoint = {
  readonly agentId: string;
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly taskId: string | null;
  readonly incarnation: number;
  readonly at: Instant;
  readonly hash: string;
  /** Canonical JSON. */
  readonly content: string;
};

export type TokenRole = 'agent' | 'enroll' | 'viewer' | 'operator' | 'orchestrator';

export type StoredToken = {
  readonly id: string;
  /** SHA-256 of the secret; the secret itself is never stored. */
  readonly hash: string;
  readonly role: TokenRole;
  /** The agent that an `agent` token speaks for; the group that an `orchestrator` decides for. */
  readonly agentId: string | null;
  readonly group: string | null;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
};

/** One hour of one agent. */
export type Rollup = {
  readonly hour: Instant;
  readonly agentId: string;
  readonly beats: number;
  readonly nudges: number;
  readonly escalations: number;
  readonly terminations: number;
  readonly recoveries: number;
  readonly stateMs: Readonly<Record<string, number>>;
};

/** What many agents did in one half minute, for the strips that people look at. */
export type StripPage = {
  /** When that half minute began. */
  readonly at: Instant;
  /** Several servers write for one time, and so does one that starts again in the middle of it. */
  readonly writer: string;
  readonly body: string;
};

/** No strip is longer than this. */
export const STRIP_MS = 3_600_000;

/**
 * `missing`: the folder or the file is gone. `newer_schema`: written by a newer Holter. `older`: it has
 * forgotten what this server has seen in it. `busy`: too many operations are waiting; this one was never begun.
 * After any other code a commit may or may not be stored: load again.
 */
export type StoreFault =
  | 'disk_full'
  | 'read_only'
  | 'locked'
  | 'corrupt'
  | 'missing'
  | 'newer_schema'
  | 'older'
  | 'busy'
  | 'closed'
  | 'unknown';

/** Disk full, read-only, locked, corrupt, gone: whatever it is, nothing destructive happens until it is over. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly code: StoreFault;
  constructor(code: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
