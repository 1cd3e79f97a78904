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
  Spending,
} from '@holter/core';
import type { Letters } from './letters.ts';
import type { SpendingQuery, SpendingSum } from './spending.ts';

/**
 * What the engine needs from a database. One contract suite runs against every store. Every method may throw
 * `StoreUnavailable`; the engine then carries out no effects until the store is back. A persistent store keeps the
 * version of each record, and returns older ones converted by `upcast`.
 */
export type Store = Letters & {
  /** An agent with its version, soft facts merged in by maximum; null when there is none. */
  load(agentId: string): Promise<StoredAgent | null>;
  /** Those of these agents that exist, in any order. */
  loadMany(agentIds: readonly string[]): Promise<readonly StoredAgent[]>;
  /**
   * Several commits in one transaction, each with its own verdict: a conflict of one does not affect the others.
   * A commit is atomic: agent, fleet, events and effects, or none of them. `seen` is a cursor that the caller has
   * seen: a store that never assigned it is an older copy, and refuses (`older`). `recordVersion` is the version that
   * all servers can read; a store for one server writes the newest.
   */
  commit(
    commits: readonly Commit[],
    seen?: number,
    recordVersion?: number,
  ): Promise<readonly CommitVerdict[]>;
  /** Merges soft facts by maximum; an entry of an incarnation other than the stored one is ignored. */
  flushSoft(entries: readonly SoftEntry[]): Promise<void>;
  loadFleet(): Promise<StoredFleet>;

  /**
   * Agents whose `wakeAt` has come, earliest first; ties are never skipped. No other claim returns them until the
   * lease ends or their `wakeAt` changes. A lease of 0 reads without claiming.
   */
  claimDue(claim: { at: Instant; leaseMs: number; limit: number }): Promise<readonly DueAgent[]>;
  /** The earliest `wakeAt` of all agents, so that an idle fleet costs nothing. */
  nextWakeAt(): Promise<Instant | null>;
  /** Ordered by id. */
  listAgents(query: AgentQuery): Promise<Page<StoredAgent>>;
  /** Agents of the group that have not ended, counted when `cursor` was the last event. */
  groupSize(group: string): Promise<{ readonly size: number; readonly cursor: number }>;
  countByHealth(): Promise<Readonly<Record<string, number>>>;

  /**
   * Claims effects for an executor under a lease, urgent kinds first, then the oldest. What is not settled is
   * claimable again when the lease ends; what is out of date is cancelled. `null` claims effects that any server may
   * carry out. `seen` as in `commit`.
   */
  claimEffects(claim: {
    executors: readonly (string | null)[];
    at: Instant;
    leaseMs: number;
    limit: number;
    seen?: number;
  }): Promise<readonly ClaimedEffect[]>;
  /** Extends the leases of claims that have not been settled, released or claimed again. */
  renewEffects(claims: readonly EffectClaim[], until: Instant): Promise<void>;
  /**
   * Orders effects that no agent's record wants (alerts), and swaps a named value (as `swapMeta` does), in one
   * transaction. An effect that exists already stays as it is. False if the value did not match: nothing was stored.
   * `recordVersion` as in `commit`.
   */
  addEffects(ordered: OrderedEffects & { readonly swap: MetaSwap }, recordVersion?: number): Promise<boolean>;
  readEffect(effectId: string): Promise<StoredEffect | null>;
  /** Final: settling an effect again changes nothing, and the result says so. */
  settleEffect(effectId: string, settlement: Settlement): Promise<'settled' | 'already-settled' | 'unknown'>;
  /**
   * Releases a claim: claimable again at `retryAt`, and the next claim counts as another try. `tries` is the number
   * that the claim returned: a claimer whose lease has ended can't release a later claim.
   */
  retryEffect(effectId: string, retryAt: Instant, detail: string, tries?: number): Promise<void>;
  /**
   * Offers an effect to all servers: any that hears from the agent may deliver and settle it. Claimable again at
   * `againAt`. `tries` as in `retryEffect`.
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
  /** Effects ordered, offered and settled, in commit order like events; each in its current state. */
  readEffectChanges(query: { after: number; limit: number }): Promise<readonly EffectChange[]>;
  lastEffectChange(): Promise<number>;

  /** In commit order; a reader that asks for everything after the last cursor never misses a late commit. */
  readEvents(query: EventQuery): Promise<readonly StoredEvent[]>;
  lastCursor(): Promise<number>;

  putCheckpoint(checkpoint: StoredCheckpoint): Promise<'stored' | 'exists'>;
  /** Newest first. */
  listCheckpoints(agentId: string, limit: number): Promise<readonly CheckpointHead[]>;
  /** The only operation that returns a checkpoint's content, which may be megabytes. */
  readCheckpoint(agentId: string, checkpointId: string): Promise<StoredCheckpoint | null>;
  deleteCheckpoints(agentId: string, checkpointIds: readonly string[]): Promise<void>;

  /** With `newestMax`, of the tokens of this agent's starts only so many stay, the newest; the others are deleted. */
  putToken(token: StoredToken, newestMax?: number): Promise<void>;
  /** Includes revoked tokens: check `revokedAt`. */
  findToken(hash: string): Promise<StoredToken | null>;
  listTokens(): Promise<readonly StoredToken[]>;
  /** False when there is no such token, or it is already revoked. */
  revokeToken(id: string, at: Instant): Promise<boolean>;

  /** The database's own time; null where the database is on the machine of its only server. */
  clock(): Promise<Instant | null>;

  /** Small named values: the last tick, the data folder's id. */
  getMeta(key: string): Promise<string | null>;
  putMeta(key: string, value: string): Promise<void>;
  /** Compare-and-swap: null as `expected` means absent, null as the new value deletes. Returns whether it matched. */
  swapMeta(key: string, expected: string | null, value: string | null): Promise<boolean>;
  /** All values whose key starts with this prefix, ordered by key. */
  listMeta(prefix: string): Promise<readonly MetaEntry[]>;

  /**
   * Deletes one small batch of events, settled effects, checkpoints except each agent's newest, revoked tokens and
   * log-ins, letters, hours of roll-ups, the books' oldest day and ended agents, each older than its time (books: as
   * roll-ups). Keeps all else that belongs to an agent with an open incident. Returns whether there may be more.
   */
  prune(before: Cutoffs, limit: number): Promise<{ readonly pruned: number; readonly hasMore: boolean }>;
  /**
   * Removes those of these agents that have ended, with their checkpoints, settled effects, final states and tokens of
   * starts; one with an open incident or effect, or a ping key, stays. Returns how many were removed.
   */
  removeEnded(agentIds: readonly string[]): Promise<number>;
  /**
   * Whole hours from the one that contains `from`, ordered by hour and id. An agent's current state counts up to
   * `to`, so `to` must not be in the future. TERMINATED is not counted: ended agents would add a row every hour.
   */
  rollups(query: { from: Instant; to: Instant; agentId?: string }): Promise<readonly Rollup[]>;
  /**
   * Total time of all agents in each state, in ms, from the hour that contains `from` up to `to`: the sum of the
   * roll-ups, without reading a row per agent and hour.
   */
  stateTime(query: { from: Instant; to: Instant }): Promise<Readonly<Record<string, number>>>;
  /** What agents have spent, added up. Days are in UTC. */
  spending(query: SpendingQuery): Promise<readonly SpendingSum[]>;
  /**
   * Replaces this writer's page for that time, if any. Deletes pages more than an hour older: no strip is longer.
   */
  putStripPage(page: StripPage): Promise<void>;
  /** Pages from `from` (inclusive) to `to` (exclusive), oldest first. */
  stripPages(from: Instant, to: Instant): Promise<readonly StripPage[]>;
  /** The last hard state of earlier incarnations and of a TERMINATED one: at most fifty, newest first. */
  listFinalStates(agentId: string, limit: number): Promise<readonly Hard[]>;

  /** Makes a consistent copy while writes continue; refuses to overwrite a file. */
  backup(path: string): Promise<void>;
  /** How the database itself is, while it works. */
  inspect(): Promise<StoreState>;
  /** Problems in the stored data, as sentences; empty when there are none. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** A claimed agent. If the caller holds another version of the record, it must load this one before judging. */
export type DueAgent = {
  readonly agentId: string;
  readonly version: number;
  readonly incarnation: number;
  readonly soft: Agent['soft'];
};

export type StoreState = {
  /** The clock of a database that several servers share; null where there is none. */
  readonly now: Instant | null;
  /** What hinders it, as sentences. */
  readonly hindrances: readonly string[];
};

export type MetaEntry = { readonly key: string; readonly value: string };
export type MetaSwap = MetaEntry & { readonly expected: string | null };

export type StoredAgent = { readonly agent: Agent; readonly version: number };
export type StoredFleet = { readonly fleet: FleetGuard; readonly version: number };

export type Commit = {
  readonly agent: Agent;
  /** 0 for an agent that must not exist yet. */
  readonly expectedVersion: number;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  /** Added to the books. */
  readonly spending?: readonly Spending[];
  /** Incidents and incarnations that this commit ends: their unclaimed effects are cancelled first. */
  readonly over?: readonly Life[];
  /**
   * Present when the transition also changed the fleet. Versions are unique random values, not a count: a transition may build
   * on a fleet that is not stored yet, and if that one loses to another server's, both would have the same number.
   */
  readonly fleet?: { readonly fleet: FleetGuard; readonly expectedVersion: number; readonly version: number };
  /** Links signal, commit and effect in logs. */
  readonly correlationId: string;
};

export type OrderedEffects = {
  readonly effects: readonly Effect[];
  readonly at: Instant;
  readonly correlationId: string;
};

export type CommitVerdict =
  | {
      readonly kind: 'ok';
      readonly version: number;
      readonly firstCursor: number | null;
      /** What the log says of the effects that it cancelled, if any; after the events of all these commits. */
      readonly cancelled?: readonly HolterEvent[];
    }
  | { readonly kind: 'conflict'; readonly what: 'agent' | 'fleet' };

export type SoftEntry = {
  readonly agentId: string;
  readonly incarnation: number;
  readonly soft: Agent['soft'];
  /** Beats since the last flush that are in no commit; counted in the hour of `soft.beatAt`. */
  readonly beats?: number;
  /** New wake time after a check that found nothing; ignored if the record has changed since. */
  readonly wake?: { readonly version: number; readonly at: Instant };
};

export type AgentQuery = {
  readonly health?: string;
  readonly group?: string;
  /** Substring of an id, role or group; ASCII letters match in either case. */
  readonly text?: string;
  readonly hasIncident?: boolean;
  readonly cursor?: string;
  readonly limit: number;
};

export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type EffectStatus = 'pending' | 'claimed' | 'done' | 'dead';

export type ClaimedEffect = {
  readonly effect: Effect;
  /** Number of claims, including this one. */
  readonly tries: number;
  readonly correlationId: string;
};

/** `tries` is the number that the claim returned. */
export type EffectClaim = { readonly effectId: string; readonly tries: number };

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
  /** Abandoned after too many tries; a person is notified. */
  readonly isDead?: true;
};

export type EventQuery = {
  readonly after: number;
  /** If set, returns events below this cursor, newest first. */
  readonly before?: number;
  readonly limit: number;
  readonly agentId?: string;
  readonly types?: readonly EventType[];
  /** Events that name this incident, and other events that its agent's commits stored while it was open. */
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

/** A checkpoint without its content, and how large that is in UTF-8. */
export type CheckpointHead = Omit<StoredCheckpoint, 'content'> & { readonly bytes: number };

/** `hook`: posts the hooks of one user's sessions, and nothing else. */
export type TokenRole = 'agent' | 'enroll' | 'hook' | 'viewer' | 'operator' | 'orchestrator';

export type StoredToken = {
  readonly id: string;
  /** SHA-256 of the secret; the secret itself is never stored. */
  readonly hash: string;
  readonly role: TokenRole;
  /** The agent of an `agent` token; the group of an `orchestrator` token. */
  readonly agentId: string | null;
  readonly group: string | null;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
};

/** What is older than its time may be deleted. */
export type Cutoffs = Readonly<
  Record<'agents' | 'events' | 'checkpoints' | 'effects' | 'rollups' | 'tokens' | 'letters', Instant>
>;

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

/** Activity of many agents in one half minute, for the strips on the dashboard. */
export type StripPage = {
  /** Start of the half minute. */
  readonly at: Instant;
  /** Several servers, or one that restarts, may write pages for the same half minute. */
  readonly writer: string;
  readonly body: string;
};

/** No strip is longer than this. */
export const STRIP_MS = 3_600_000;

/**
 * `missing`: the folder, file or database is gone. `unreachable`, `denied`: by a database server. `exchanged`: not the database that this folder's server wrote last. `newer_schema`: written by a newer Holter. `older`: lacks events that this
 * server has seen in it. `busy`: the queue is full, and the operation was not started. After any other code a commit
 * may or may not be stored: load again.
 */
export type StoreFault =
  | 'disk_full'
  | 'read_only'
  | 'locked'
  | 'corrupt'
  | 'missing'
  | 'unreachable'
  | 'denied'
  | 'newer_schema'
  | 'older'
  | 'exchanged'
  | 'busy'
  | 'closed'
  | 'unknown';

/** Disk full, read-only, locked, corrupt or missing. Holter does nothing destructive until the store is back. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly code: StoreFault;
  constructor(code: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A record of a newer Holter: this server leaves it to others, which can read it. */
export class NewerRecord extends Error {
  override readonly name = 'NewerRecord';
}
