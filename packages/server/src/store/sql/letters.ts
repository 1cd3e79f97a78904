import type { Instant, MessagePriority } from '@holter/core';
import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import {
  type LetterBox,
  type LetterCounts,
  type LetterMarking,
  type LetterPut,
  type LetterQuery,
  type LetterStatus,
  type LetterVerdict,
  type NewLetter,
  PING_ID_PREFIX,
  type StoredLetter,
  TIMES_OF_MARK,
  unmarked,
} from '../letters.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

/** A box is small; what Holter has sent is a ping to every agent, and more. */
const UNINDEXED_SENDER = sql<string>`sender || ''`;

/** Call it in a transaction. */
export async function putLetter(db: Db, put: LetterPut): Promise<LetterVerdict> {
  const { letter, acknowledges } = put;
  if (letter.clientId !== null) {
    const twin = await db
      .selectFrom('letters')
      .selectAll()
      .where('sender', '=', letter.from)
      .where('client_id', '=', letter.clientId)
      .executeTakeFirst();
    if (twin) return { kind: 'exists', letter: letterOf(twin) };
  }
  const crowd = await crowdIn(db, put);
  const removed = crowd ? await makeRoom(db, crowd, put) : undefined;
  if (removed === null) return { kind: 'full' };
  await db.insertInto('letters').values(rowOf(letter)).execute();
  if (acknowledges !== null)
    await markLetters(db, {
      to: letter.from,
      letterIds: [acknowledges],
      as: 'acknowledged',
      at: letter.sentAt,
    });
  return { kind: 'stored', letter: unmarked(letter), ...(removed && { removed }) };
}

type Crowd = SelectQueryBuilder<Schema, 'letters', object>;

/** Those of which one has to make room; null if there is room. */
async function crowdIn(
  db: Db,
  { letter, boxMax, shareMax = Number.POSITIVE_INFINITY }: LetterPut,
): Promise<Crowd | null> {
  if (boxMax === Number.POSITIVE_INFINITY) return null;
  const box: Crowd = db.selectFrom('letters').where('recipient', '=', letter.to);
  const share = letter.isVerified
    ? box.where('is_verified', '=', 1).where(UNINDEXED_SENDER, '=', letter.from)
    : box.where('is_verified', '=', 0);
  const total = await sizeOf(box);
  if (total >= shareMax && (await sizeOf(share)) >= shareMax) return share;
  if (total < boxMax) return null;
  return letter.isVerified ? box : share;
}

async function sizeOf(crowd: Crowd): Promise<number> {
  const { total } = await crowd
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

const URGENT = 4;

/** The letter that has made room; null if there is none that may. */
async function makeRoom(db: Db, crowd: Crowd, { awaitedFrom = '' }: LetterPut): Promise<StoredLetter | null> {
  const weight = sql<number>`case when sender = ${awaitedFrom} and is_verified = 1 and acknowledged_at is null
    then case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else ${sql.lit(URGENT)} end
    else 0 end`;
  const row = await crowd
    .selectAll()
    .where('read_at', 'is not', null)
    .where(weight, '<', URGENT)
    .orderBy(weight)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  await db.deleteFrom('letters').where('seq', '=', row.seq).execute();
  return letterOf(row);
}

export async function readLetter(db: Db, letterId: string): Promise<StoredLetter | null> {
  const row = await db.selectFrom('letters').selectAll().where('letter_id', '=', letterId).executeTakeFirst();
  return row ? letterOf(row) : null;
}

export async function listLetters(db: Db, query: LetterQuery): Promise<readonly StoredLetter[]> {
  const { of, box, isVerified, status, priority, other, after, before, limit } = query;
  const [to, from] = box === 'inbox' ? [of, other] : [other, of];
  const order = after === undefined ? 'desc' : 'asc';
  let wanted = db.selectFrom('letters').selectAll().orderBy('seq', order).limit(limit);
  if (to !== undefined) wanted = wanted.where('recipient', '=', to);
  if (from !== undefined) wanted = wanted.where(to === undefined ? 'sender' : UNINDEXED_SENDER, '=', from);
  if (after !== undefined && after !== null) {
    const seq = db.selectFrom('letters').select('seq').where('letter_id', '=', after);
    wanted = wanted.where('seq', '>', ({ fn, val }) => fn.coalesce(seq, val(0)));
  }
  if (before !== undefined) {
    const seq = db.selectFrom('letters').select('seq').where('letter_id', '=', before);
    wanted = wanted.where('seq', '<', seq);
  }
  if (isVerified !== undefined) wanted = wanted.where('is_verified', '=', isVerified ? 1 : 0);
  if (priority !== undefined) wanted = wanted.where('priority', '=', priority);
  if (status !== undefined) wanted = withStatus(wanted, status);
  return (await wanted.execute()).map(letterOf);
}

type Found = SelectQueryBuilder<Schema, 'letters', Selectable<Schema['letters']>>;

function withStatus(found: Found, status: LetterStatus): Found {
  switch (status) {
    case 'unread':
      return found.where('read_at', 'is', null);
    case 'read':
      return found.where('read_at', 'is not', null).where('archived_at', 'is', null);
    case 'archived':
      return found.where('archived_at', 'is not', null);
    case 'unacknowledged':
      return found.where('acknowledged_at', 'is', null).where('letter_id', 'not like', `${PING_ID_PREFIX}%`);
  }
}

export async function countLetters(db: Db, { of, box, isVerified }: LetterBox): Promise<LetterCounts> {
  const all = db
    .selectFrom('letters')
    .select(['priority', ({ fn }) => fn.countAll<number>().as('total')])
    .select(sql<number>`sum(case when read_at is null then 1 else 0 end)`.as('unread'))
    .where(box === 'inbox' ? 'recipient' : 'sender', '=', of)
    .groupBy('priority');
  const wanted = isVerified === undefined ? all : all.where('is_verified', '=', isVerified ? 1 : 0);
  const rows = await wanted.execute();
  const byPriority = { urgent: 0, high: 0, normal: 0, low: 0 };
  let unread = 0;
  for (const row of rows) {
    byPriority[row.priority as MessagePriority] = Number(row.total);
    unread += Number(row.unread);
  }
  const total = Object.values(byPriority).reduce((sum, each) => sum + each, 0);
  return { total, unread, byPriority };
}

export async function countUnread(
  db: Db,
  names: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  if (names.length === 0) return {};
  const rows = await db
    .selectFrom('letters')
    .select(['recipient', ({ fn }) => fn.countAll<number>().as('unread')])
    .where('recipient', 'in', names)
    .where('read_at', 'is', null)
    .groupBy('recipient')
    .execute();
  return Object.fromEntries(rows.map(({ recipient, unread }) => [recipient, Number(unread)]));
}

const COLUMNS = {
  deliveredAt: 'delivered_at',
  readAt: 'read_at',
  acknowledgedAt: 'acknowledged_at',
  archivedAt: 'archived_at',
} as const;

export async function markLetters(db: Db, marking: LetterMarking): Promise<readonly string[]> {
  const { to, letterIds, as, at } = marking;
  if (letterIds.length === 0) return [];
  const columns = TIMES_OF_MARK[as].map((time) => COLUMNS[time]);
  const last = columns[columns.length - 1] ?? 'delivered_at';
  const marked = db
    .updateTable('letters')
    .set(({ fn, val, ref }) =>
      Object.fromEntries(columns.map((column) => [column, fn.coalesce(ref(column), val(at))])),
    )
    .where('letter_id', 'in', letterIds)
    .where(last, 'is', null)
    .returning('letter_id');
  const rows = await (to === null ? marked : marked.where('recipient', '=', to)).execute();
  const changed = new Set(rows.map(({ letter_id }) => letter_id));
  return letterIds.filter((letterId) => changed.has(letterId));
}

export async function deleteLetter(db: Db, to: string, letterId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('letters')
    .where('letter_id', '=', letterId)
    .where('recipient', '=', to)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) > 0;
}

const rowOf = (letter: NewLetter) => ({
  letter_id: letter.letterId,
  sender: letter.from,
  recipient: letter.to,
  client_id: letter.clientId,
  subject: letter.subject,
  priority: letter.priority,
  in_reply_to: letter.inReplyTo,
  passed: JSON.stringify(letter.passed),
  is_verified: letter.isVerified ? 1 : 0,
  sent_at: letter.sentAt,
  content: letter.content,
});

const letterOf = (row: Selectable<Schema['letters']>): StoredLetter => ({
  letterId: row.letter_id,
  from: row.sender,
  to: row.recipient,
  clientId: row.client_id,
  subject: row.subject,
  priority: row.priority as MessagePriority,
  inReplyTo: row.in_reply_to,
  passed: JSON.parse(row.passed) as string[],
  isVerified: row.is_verified === 1,
  sentAt: row.sent_at as Instant,
  deliveredAt: row.delivered_at as Instant | null,
  readAt: row.read_at as Instant | null,
  acknowledgedAt: row.acknowledged_at as Instant | null,
  archivedAt: row.archived_at as Instant | null,
  content: row.content,
});
