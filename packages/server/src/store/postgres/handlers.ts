import { instant, RECORD_VERSION } from '@holter/core';
import { sql } from 'kysely';
import type { Answer, Arguments, Operation } from '../operations.ts';
import { countByHealth, listAgents, listFinalStates, loadFleet } from '../sql/agents.ts';
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
import { spending } from '../sql/spending.ts';
import { putStripPage, stripPages } from '../sql/strips.ts';
import { StoreUnavailable } from '../store.ts';
import { claimDue, groupSize, load, loadMany, nextWakeAt, withDue } from './agents.ts';
import { problemsOf } from './check.ts';
import { commit } from './commit.ts';
import type { Connections } from './connections.ts';
import { claimEffects, effectParts, offerEffect, settleEffect } from './effects.ts';
import { KEEP_LAST, LOG_LOCK, lastIn, selectLast } from './log.ts';
import { flushSoft } from './soft.ts';
import { stateOf } from './state.ts';
import { literal } from './text.ts';
import { putToken } from './tokens.ts';

type Handlers = {
  readonly [Op in Exclude<Operation, 'close'>]: (
    connections: Connections,
    ...args: Arguments<Op>
  ) => Promise<Answer<Op>>;
};

const LETTERS_LOCK = sql`select pg_advisory_xact_lock(4715503)`;

export const handlers: Handlers = {
  load: ({ db }, agentId) => load(db, agentId),
  loadMany: ({ db }, agentIds) => loadMany(db, agentIds),
  commit,
  flushSoft,
  loadFleet: ({ db }) => loadFleet(db),
  claimDue: ({ db }, claim) => claimDue(db, claim),
  nextWakeAt: ({ db }) => nextWakeAt(db),
  listAgents: ({ db }, query) => listAgents(withDue(db), query),
  groupSize: ({ db }, group) => groupSize(db, group),
  countByHealth: ({ db }) => countByHealth(db),
  claimEffects,
  renewEffects: ({ db }, ...args) => renewEffects(db, ...args),
  addEffects: async (connections, { swap, effects, at, correlationId }, recordVersion = RECORD_VERSION) => {
    const { key, expected, value } = swap;
    const swapped =
      expected === null
        ? `insert into meta values (${literal(key)}, ${literal(value)}) on conflict do nothing returning 1`
        : `update meta set value = ${literal(value)}
           where key = ${literal(key)} and value = ${literal(expected)} returning 1`;
    const ordered = effects.map((effect) => ({ effect, at, correlationId }));
    const parts = ordered.length > 0 ? `, ${effectParts(ordered, recordVersion, 'swapped')}` : '';
    const [, rows] = await connections.write([
      LOG_LOCK,
      `with swapped as (${swapped})${parts} select 1 from swapped`,
    ]);
    return rows?.length === 1;
  },
  readEffect: ({ db }, effectId) => readEffect(db, effectId),
  settleEffect,
  retryEffect: ({ db }, ...args) => retryEffect(db, ...args),
  offerEffect,
  listEffects: ({ db }, query) => listEffects(db, query),
  readEffectChanges: ({ db }, query) => readEffectChanges(db, query),
  lastEffectChange: async (connections) =>
    lastIn((await connections.read(selectLast('effect_changes'))).rows),
  readEvents: ({ db }, query) => readEvents(db, query),
  lastCursor: async (connections) => lastIn((await connections.read(selectLast('events'))).rows),
  putCheckpoint: ({ db }, checkpoint) => putCheckpoint(db, checkpoint),
  listCheckpoints: ({ db }, ...args) => listCheckpoints(db, ...args),
  readCheckpoint: ({ db }, ...args) => readCheckpoint(db, ...args),
  deleteCheckpoints: ({ db }, ...args) => deleteCheckpoints(db, ...args),
  putToken: async (connections, token, newestMax) => {
    await connections.write(putToken(token, newestMax));
  },
  findToken: ({ db }, hash) => findToken(db, hash),
  listTokens: ({ db }) => listTokens(db),
  revokeToken: ({ db }, ...args) => revokeToken(db, ...args),
  clock: async ({ db }) => {
    const { rows } = await sql<{ readonly now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(db);
    return instant(Math.floor(rows[0]?.now ?? 0));
  },
  getMeta: ({ db }, key) => getMeta(db, key),
  putMeta: ({ db }, ...args) => putMeta(db, ...args),
  swapMeta: ({ db }, ...args) => swapMeta(db, ...args),
  listMeta: ({ db }, prefix) => listMeta(db, prefix),
  // One moment for all statements: no event is deleted that came after its cursor was kept.
  prune: (connections, before, limit) =>
    connections.repeated(() =>
      connections.inTurn(async (transaction) => {
        for (const keep of KEEP_LAST) await keep.execute(transaction);
        return prune(transaction, before, limit, 'due');
      }, 'repeatable read'),
    ),
  removeEnded: (connections, agentIds) =>
    connections.repeated(() =>
      connections.inTurn((transaction) => removeEnded(transaction, { agentIds }, 'due'), 'repeatable read'),
    ),
  rollups: ({ db }, query) => rollups(db, query),
  stateTime: ({ db }, query) => stateTime(db, query),
  spending: ({ db }, query) => spending(db, query),
  putStripPage: (connections, page) => connections.inTurn((transaction) => putStripPage(transaction, page)),
  stripPages: ({ db }, ...args) => stripPages(db, ...args),
  listFinalStates: ({ db }, ...args) => listFinalStates(db, ...args),
  // The lock stands for the limit of the box and for the sender's id, both of which several rows decide.
  putLetter: (connections, put) =>
    connections.inTurn(async (transaction) => {
      await LETTERS_LOCK.execute(transaction);
      return putLetter(transaction, put);
    }),
  readLetter: ({ db }, letterId) => readLetter(db, letterId),
  listLetters: ({ db }, query) => listLetters(db, query),
  countLetters: ({ db }, box) => countLetters(db, box),
  countUnread: ({ db }, names) => countUnread(db, names),
  markLetters: ({ db }, marking) => markLetters(db, marking),
  deleteLetter: ({ db }, ...args) => deleteLetter(db, ...args),
  backup: async () => {
    throw new StoreUnavailable(
      'unknown',
      'PostgreSQL has its own tools for copies, such as pg_dump: see docs/operations.md#postgresql',
    );
  },
  inspect: ({ db }) => stateOf(db),
  check: (connections) => problemsOf(connections.db),
};
