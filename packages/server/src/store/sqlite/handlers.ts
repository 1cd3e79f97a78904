import type { Kysely } from 'kysely';
import { refuseOlder } from '../facts.ts';
import type { Answer, Arguments, Operation } from '../operations.ts';
import { countByHealth, listAgents, listFinalStates, loadFleet, withSoft } from '../sql/agents.ts';
import { listEffects, readEffect, readEffectChanges, renewEffects, retryEffect } from '../sql/effects.ts';
import { readEvents } from '../sql/events.ts';
import {
  countLetters,
  countUnread,
  deleteLetter,
  listLetters,
  markLetters,
  putLetter,
  readLetter,
} from '../sql/letters.ts';
import { prune } from '../sql/prune.ts';
import {
  deleteCheckpoints,
  findToken,
  getMeta,
  listCheckpoints,
  listMeta,
  listTokens,
  putCheckpoint,
  putMeta,
  readCheckpoint,
  revokeToken,
  swapMeta,
} from '../sql/records.ts';
import { removeEnded } from '../sql/remove-ended.ts';
import { rollups, stateTime } from '../sql/rollups.ts';
import type { Schema } from '../sql/schema.ts';
import { spending } from '../sql/spending.ts';
import { putStripPage, stripPages } from '../sql/strips.ts';
import { claimDue, groupSize, load, loadMany, nextWakeAt } from './agents.ts';
import { cancelOutOfDate } from './cancel.ts';
import { addEffects, commitAll } from './commit.ts';
import { lastCursor, lastEffectChange } from './cursors.ts';
import { claimEffects, offerEffect, settleEffect } from './effects.ts';
import { addBeats, mergeSoft, postpone } from './soft.ts';
import { putToken } from './tokens.ts';
import { inTransaction } from './transaction.ts';

type Db = Kysely<Schema>;

/** Operations on the writer's connection. Copying and checking are slow and run in a separate thread. */
export type WriterOperation = Exclude<Operation, 'backup' | 'check' | 'close'>;

type Handlers = {
  readonly [Op in WriterOperation]: (db: Db, ...args: Arguments<Op>) => Promise<Answer<Op>>;
};

/**
 * Every write is a transaction, which takes the lock first: libsql leaves a statement that could not get the lock
 * unfinished, and with one of those no later transaction can be committed.
 */
export const handlers: Handlers = {
  load,
  loadMany,
  commit: async (db, commits, seen) => {
    if (commits.length === 0) return [];
    return inTransaction(db, async (transaction) => {
      if (seen) refuseOlder(await lastCursor(transaction), seen);
      return commitAll(transaction, commits);
    });
  },
  flushSoft: async (db, entries) => {
    if (entries.length === 0) return;
    await inTransaction(db, async (transaction) => {
      const current = await mergeSoft(transaction, entries);
      await addBeats(transaction, current);
      await postpone(transaction, current);
    });
  },
  loadFleet,
  inspect: async () => ({ now: null, hindrances: [] }),
  claimDue: (db, claim) =>
    claim.leaseMs > 0
      ? inTransaction(db, (transaction) => claimDue(transaction, claim))
      : claimDue(db, claim),
  nextWakeAt,
  listAgents: (db, query) => listAgents(withSoft(db), query),
  groupSize,
  countByHealth,
  claimEffects: (db, claim) =>
    inTransaction(db, async (transaction) => {
      if (claim.seen) refuseOlder(await lastCursor(transaction), claim.seen);
      await cancelOutOfDate(transaction, claim.at);
      return claimEffects(transaction, claim);
    }),
  renewEffects: (db, ...args) => inTransaction(db, (transaction) => renewEffects(transaction, ...args)),
  addEffects: (db, { swap: { key, expected, value }, ...ordered }) =>
    inTransaction(db, async (transaction) => {
      const isSwapped = await swapMeta(transaction, key, expected, value);
      if (isSwapped) await addEffects(transaction, ordered);
      return isSwapped;
    }),
  readEffect,
  settleEffect: (db, effectId, settlement) =>
    inTransaction(db, (transaction) => settleEffect(transaction, effectId, settlement)),
  retryEffect: (db, ...args) => inTransaction(db, (transaction) => retryEffect(transaction, ...args)),
  offerEffect: (db, effectId, offer) =>
    inTransaction(db, (transaction) => offerEffect(transaction, effectId, offer)),
  listEffects,
  readEffectChanges,
  lastEffectChange,
  readEvents,
  lastCursor,
  putCheckpoint: (db, checkpoint) =>
    inTransaction(db, (transaction) => putCheckpoint(transaction, checkpoint)),
  listCheckpoints,
  readCheckpoint,
  deleteCheckpoints,
  putToken: (db, token, newestMax) =>
    inTransaction(db, (transaction) => putToken(transaction, token, newestMax)),
  findToken,
  listTokens,
  revokeToken: (db, id, at) => inTransaction(db, (transaction) => revokeToken(transaction, id, at)),
  clock: async () => null,
  getMeta,
  putMeta: (db, key, value) => inTransaction(db, (transaction) => putMeta(transaction, key, value)),
  swapMeta: (db, key, expected, value) =>
    inTransaction(db, (transaction) => swapMeta(transaction, key, expected, value)),
  listMeta,
  prune: (db, before, limit) =>
    inTransaction(db, (transaction) => prune(transaction, before, limit, 'due_claims')),
  removeEnded: (db, agentIds) =>
    inTransaction(db, (transaction) => removeEnded(transaction, { agentIds }, 'due_claims')),
  rollups,
  stateTime,
  spending,
  putStripPage: (db, page) => inTransaction(db, (transaction) => putStripPage(transaction, page)),
  stripPages,
  listFinalStates,
  putLetter: (db, put) => inTransaction(db, (transaction) => putLetter(transaction, put)),
  readLetter,
  listLetters,
  countLetters,
  countUnread,
  markLetters: (db, marking) => inTransaction(db, (transaction) => markLetters(transaction, marking)),
  deleteLetter: (db, to, letterId) =>
    inTransaction(db, (transaction) => deleteLetter(transaction, to, letterId)),
};
