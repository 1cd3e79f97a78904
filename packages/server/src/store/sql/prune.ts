import { dayOf } from '@holter/core';
import type { Kysely } from 'kysely';
import { CHECKPOINTS_KEPT, SESSION_TOKEN_PREFIX } from '../facts.ts';
import type { Answer } from '../operations.ts';
import { hourOf } from '../rollup.ts';
import type { Cutoffs } from '../store.ts';
import { type DueTable, removeEnded } from './remove-ended.ts';
import type { Schema } from './schema.ts';

/** The oldest of each first, so that an index finds them; an open incident keeps what belongs to its agent. */
export async function prune(
  db: Kysely<Schema>,
  before: Cutoffs,
  limit: number,
  due: DueTable,
): Promise<Answer<'prune'>> {
  const busy = db.selectFrom('agents').select('agent_id').where('has_incident', '=', 1);
  const oldEvents = db
    .selectFrom('events')
    .select('cursor')
    .where('at', '<', before.events)
    .where('agent_id', 'not in', busy)
    .orderBy('at')
    .orderBy('cursor')
    .limit(limit);
  const events = await db.deleteFrom('events').where('cursor', 'in', oldEvents).executeTakeFirstOrThrow();
  const removed = Number(events.numDeletedRows);
  const oldEffects = db
    .selectFrom('effects')
    .select('seq')
    .where('settled_at', '<', before.effects)
    .where('agent_id', 'not in', busy)
    .orderBy('settled_at')
    .orderBy('seq')
    .limit(limit - removed);
  const effects = await db.deleteFrom('effects').where('seq', 'in', oldEffects).executeTakeFirstOrThrow();
  const settled = Number(effects.numDeletedRows);
  await db.deleteFrom('effect_changes').where('at', '<', before.effects).execute();
  const oldCheckpoints = db
    .selectFrom('checkpoints as old')
    .select('old.seq')
    .where('old.at', '<', before.checkpoints)
    .where('old.agent_id', 'not in', busy)
    // As many newer ones as are kept: found by stepping over all but one of them.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('checkpoints as newer')
          .select('newer.seq')
          .whereRef('newer.agent_id', '=', 'old.agent_id')
          .whereRef('newer.seq', '>', 'old.seq')
          .limit(1)
          .offset(CHECKPOINTS_KEPT - 1),
      ),
    )
    .orderBy('old.at')
    .orderBy('old.seq')
    .limit(limit - removed - settled);
  const checkpoints = await db
    .deleteFrom('checkpoints')
    .where('seq', 'in', oldCheckpoints)
    .executeTakeFirstOrThrow();
  const oldTokens = db
    .selectFrom('tokens')
    .select('id')
    .where((row) =>
      row.or([
        row('revoked_at', '<', before.tokens),
        row.and([row('id', 'like', `${SESSION_TOKEN_PREFIX}%`), row('created_at', '<', before.tokens)]),
      ]),
    )
    .limit(Math.max(0, limit - removed - settled - Number(checkpoints.numDeletedRows)));
  const tokens = await db.deleteFrom('tokens').where('id', 'in', oldTokens).executeTakeFirstOrThrow();
  const oldLetters = db
    .selectFrom('letters')
    .select('seq')
    .where('sent_at', '<', before.letters)
    .where('recipient', 'not in', busy)
    .orderBy('sent_at')
    .orderBy('seq')
    .limit(
      Math.max(
        0,
        limit - removed - settled - Number(checkpoints.numDeletedRows) - Number(tokens.numDeletedRows),
      ),
    );
  const letters = await db.deleteFrom('letters').where('seq', 'in', oldLetters).executeTakeFirstOrThrow();
  const others = [checkpoints, tokens, letters].reduce(
    (sum, { numDeletedRows }) => sum + Number(numDeletedRows),
    removed + settled,
  );
  const rollups = await db
    .deleteFrom('rollups')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('agent_id', 'hour'),
        'in',
        selectFrom('rollups as old')
          .select(['old.agent_id', 'old.hour'])
          .where('old.hour', '<', hourOf(before.rollups))
          .where('old.agent_id', 'not in', busy)
          .orderBy('old.hour')
          .orderBy('old.agent_id')
          .limit(Math.max(0, limit - others))
          .$asTuple('agent_id', 'hour'),
      ),
    )
    .executeTakeFirstOrThrow();
  const books = await db
    .deleteFrom('spending')
    .where('day', '<', dayOf(before.rollups))
    .where('day', '=', ({ selectFrom }) => selectFrom('spending').select(({ fn }) => fn.min('day').as('day')))
    .executeTakeFirstOrThrow();
  const rows = others + Number(rollups.numDeletedRows) + Number(books.numDeletedRows);
  const ended = { before: before.agents, limit: Math.max(0, limit - rows) };
  const pruned = rows + (ended.limit > 0 ? await removeEnded(db, ended, due) : 0);
  return { pruned, hasMore: pruned >= limit };
}
