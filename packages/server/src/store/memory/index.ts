import type { Instant } from '@holter/core';
import { refuseOlder, startTokenPrefix } from '../facts.ts';
import { type Answer, type Arguments, type Operation, storeFrom } from '../operations.ts';
import { sumSpending } from '../spending.ts';
import { STRIP_MS, type Store, StoreUnavailable } from '../store.ts';
import { addEffects, commitAll, flushOne } from './commit.ts';
import { claimDue } from './due.ts';
import {
  claimEffects,
  listEffects,
  offerEffect,
  readEffect,
  readEffectChanges,
  renewEffects,
  retryEffect,
  settleEffect,
} from './effects.ts';
import { countLetters, countUnread, deleteLetter, listLetters, markLetters, putLetter } from './letters.ts';
import { countByHealth, listAgents, prune, readEvents, removeEnded, rollups } from './read.ts';
import { copyTables, emptyTables, type Indexes, indexesOf, type Tables } from './tables.ts';

/**
 * Called before and after each operation. It may throw (before: nothing is stored; after: only the answer is lost),
 * or return a promise that settles late or never.
 */
export type StoreHook = (point: {
  readonly when: 'before' | 'after';
  readonly operation: Operation;
  readonly args: readonly unknown[];
}) => void | Promise<void>;

/** Opaque snapshot of the stored data. */
export type MemorySnapshot = { readonly tables: Tables };

export type MemoryStore = Store & {
  snapshot(): MemorySnapshot;
  /** Restores a snapshot, any number of times. Reopens a closed store. */
  restore(snapshot: MemorySnapshot): void;
  /** Null removes the hook. */
  setHook(hook: StoreHook | null): void;
  /** Another writer on the same data, closed separately and with its own faults. */
  beside(): MemoryStore;
};

/**
 * A store for simulations: deterministic, without I/O, with injectable faults. It keeps records by reference, which
 * is safe because core never modifies one.
 */
export function openMemory(
  options: { readonly hook?: StoreHook; readonly from?: MemorySnapshot } = {},
): MemoryStore {
  const tables = options.from ? copyTables(options.from.tables) : emptyTables();
  return openShared({ tables, indexes: indexesOf(tables) }, options.hook ?? null);
}

/** State shared by all writers on the same data. */
type Shared = { tables: Tables; indexes: Indexes };

function openShared(shared: Shared, firstHook: StoreHook | null): MemoryStore {
  let hook = firstHook;
  let isClosed = false;

  const store = storeFrom(async (operation, args) => {
    const before = hook?.({ when: 'before', operation, args });
    if (before) await before;
    if (isClosed && operation !== 'close') throw new StoreUnavailable('closed', 'the store is closed');
    if (operation === 'close') isClosed = true;
    const answer = perform(shared.tables, shared.indexes, operation, args);
    const after = hook?.({ when: 'after', operation, args });
    if (after) await after;
    return answer;
  });

  return {
    ...store,
    snapshot: () => ({ tables: copyTables(shared.tables) }),
    restore: (snapshot) => {
      shared.tables = copyTables(snapshot.tables);
      shared.indexes = indexesOf(shared.tables);
      isClosed = false;
    },
    setHook: (next) => {
      hook = next;
    },
    beside: () => openShared(shared, null),
  };
}

type Handlers = {
  readonly [Op in Operation]: (tables: Tables, indexes: Indexes, ...args: Arguments<Op>) => Answer<Op>;
};

function perform<Op extends Operation>(
  tables: Tables,
  indexes: Indexes,
  operation: Op,
  args: Arguments<Op>,
): Answer<Op> {
  const handler: Handlers[Op] = handlers[operation];
  return handler(tables, indexes, ...args);
}

function swapMeta({ meta }: Tables, ...[key, expected, value]: Arguments<'swapMeta'>): boolean {
  if ((meta.get(key) ?? null) !== expected) return false;
  if (value === null) meta.delete(key);
  else meta.set(key, value);
  return true;
}

const handlers: Handlers = {
  load: (tables, _, agentId) => tables.agents.get(agentId) ?? null,
  loadMany: (tables, _, agentIds) => agentIds.flatMap((agentId) => tables.agents.get(agentId) ?? []),
  commit: (tables, indexes, commits, seen = 0) => {
    refuseOlder(tables.lastCursor, seen);
    return commitAll(tables, indexes, commits);
  },
  flushSoft: (tables, indexes, entries) => {
    for (const entry of entries) flushOne(tables, indexes, entry);
  },
  loadFleet: (tables) => tables.fleet,
  claimDue: (tables, { wakes }, claim) => claimDue(tables, wakes, claim),
  nextWakeAt: (_, { wakes }) => wakes.peek()?.wakeAt ?? null,
  listAgents: (tables, _, query) => listAgents(tables, query),
  groupSize: (tables, { groupSizes }, group) => ({
    size: groupSizes.get(group) ?? 0,
    cursor: tables.lastCursor,
  }),
  countByHealth: (tables) => countByHealth(tables),
  claimEffects: (tables, indexes, claim) => {
    refuseOlder(tables.lastCursor, claim.seen ?? 0);
    return claimEffects(tables, indexes, claim);
  },
  renewEffects: (tables, _, claims, until) => renewEffects(tables, claims, until),
  addEffects: (tables, indexes, { swap: { key, expected, value }, ...ordered }) => {
    const isSwapped = swapMeta(tables, key, expected, value);
    if (isSwapped) addEffects(tables, indexes, ordered);
    return isSwapped;
  },
  readEffect: (tables, _, effectId) => readEffect(tables, effectId),
  settleEffect: (tables, indexes, effectId, settlement) =>
    settleEffect(tables, indexes, effectId, settlement),
  retryEffect: (tables, _, effectId, retryAt, detail, tries) =>
    retryEffect(tables, effectId, retryAt, detail, tries),
  offerEffect: (tables, _, effectId, offer) => offerEffect(tables, effectId, offer),
  listEffects: (tables, _, query) => listEffects(tables, query),
  readEffectChanges: (tables, _, query) => readEffectChanges(tables, query),
  lastEffectChange: (tables) => tables.lastEffectChange,
  readEvents: (tables, _, query) => readEvents(tables, query),
  lastCursor: (tables) => tables.lastCursor,
  putCheckpoint: (tables, _, checkpoint) => {
    const chain = tables.checkpoints.get(checkpoint.agentId) ?? [];
    if (chain.some(({ checkpointId }) => checkpointId === checkpoint.checkpointId)) return 'exists';
    tables.checkpoints.set(checkpoint.agentId, [...chain, checkpoint]);
    return 'stored';
  },
  listCheckpoints: (tables, _, agentId, limit) =>
    [...(tables.checkpoints.get(agentId) ?? [])]
      .reverse()
      .slice(0, limit)
      .map(({ content, ...head }) => ({ ...head, bytes: Buffer.byteLength(content) })),
  readCheckpoint: (tables, _, agentId, id) =>
    tables.checkpoints.get(agentId)?.find(({ checkpointId }) => checkpointId === id) ?? null,
  deleteCheckpoints: (tables, _, agentId, ids) => {
    const left = (tables.checkpoints.get(agentId) ?? []).filter(
      ({ checkpointId }) => !ids.includes(checkpointId),
    );
    tables.checkpoints.set(agentId, left);
  },
  putToken: (tables, _, token, newestMax) => {
    tables.tokens.set(token.id, token);
    if (newestMax === undefined || token.agentId === null) return;
    const prefix = startTokenPrefix(token.agentId);
    const older = [...tables.tokens.values()]
      .filter(({ id }) => id.startsWith(prefix))
      .reverse()
      .sort((a, b) => b.createdAt - a.createdAt)
      .slice(newestMax);
    for (const { id } of older) tables.tokens.delete(id);
  },
  findToken: (tables, _, hash) => [...tables.tokens.values()].find((token) => token.hash === hash) ?? null,
  listTokens: (tables) => [...tables.tokens.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  revokeToken: (tables, _, id, at: Instant) => {
    const token = tables.tokens.get(id);
    if (!token || token.revokedAt !== null) return false;
    tables.tokens.set(id, { ...token, revokedAt: at });
    return true;
  },
  clock: () => null,
  getMeta: (tables, _, key) => tables.meta.get(key) ?? null,
  putMeta: (tables, _, key, value) => {
    tables.meta.set(key, value);
  },
  swapMeta: (tables, _, key, expected, value) => swapMeta(tables, key, expected, value),
  listMeta: (tables, _, prefix) =>
    [...tables.meta]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => ({ key, value }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  prune: (tables, _, before, limit) => prune(tables, before, limit),
  removeEnded: (tables, _, agentIds) => removeEnded(tables, agentIds),
  rollups: (tables, _, query) => rollups(tables, query),
  stateTime: (tables, _, query) => {
    const sums: Record<string, number> = {};
    for (const { stateMs } of rollups(tables, query))
      for (const [state, ms] of Object.entries(stateMs)) sums[state] = (sums[state] ?? 0) + ms;
    return sums;
  },
  spending: (tables, _, query) =>
    sumSpending(
      [...tables.spending.values()].flatMap((rows) => [...rows.values()]),
      query,
    ),
  putStripPage: (tables, _, page) => {
    const kept = tables.stripPages.filter(
      ({ at, writer }) => at >= page.at - STRIP_MS && !(at === page.at && writer === page.writer),
    );
    tables.stripPages = [...kept, page].sort(
      (a, b) => a.at - b.at || (a.writer < b.writer ? -1 : a.writer > b.writer ? 1 : 0),
    );
  },
  stripPages: (tables, _, from, to) => tables.stripPages.filter(({ at }) => at >= from && at < to),
  listFinalStates: (tables, _, agentId, limit) => (tables.finalStates.get(agentId) ?? []).slice(0, limit),
  putLetter: (tables, _, put) => putLetter(tables, put),
  readLetter: (tables, _, letterId) => tables.letters.get(letterId) ?? null,
  listLetters: (tables, _, query) => listLetters(tables, query),
  countLetters: (tables, _, box) => countLetters(tables, box),
  countUnread: (tables, _, names) => countUnread(tables, names),
  markLetters: (tables, _, marking) => markLetters(tables, marking),
  deleteLetter: (tables, _, to, letterId) => deleteLetter(tables, to, letterId),
  backup: () => {
    throw new StoreUnavailable('unknown', 'a store in memory has no file to copy; take a snapshot');
  },
  inspect: () => ({ now: null, hindrances: [] }),
  check: () => [],
  close: () => undefined,
};
