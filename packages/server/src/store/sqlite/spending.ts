import { dayOf, type Instant, METER_KEYS, type Meter, type Spending } from '@holter/core';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Arguments } from '../operations.ts';
import { crowdedKey, keyOf, SPENDING_ROWS_MAX, type SpendingKey, type SpendingSum } from '../spending.ts';
import type { Schema } from './schema.ts';

const KEYS = {
  day: 'day',
  agentId: 'agent_id',
  group: 'group_name',
  taskId: 'task_id',
  model: 'model',
} as const satisfies Record<keyof SpendingKey, string>;

const METERS = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWriteHour: 'cache_write_hour',
  tokens: 'tokens',
  costMicros: 'cost_micros',
  reportedMicros: 'reported_micros',
  unpricedTokens: 'unpriced_tokens',
} as const satisfies Record<keyof Meter, string>;

const keys = Object.entries(KEYS) as [keyof SpendingKey, string][];
const isKey = (key: SpendingKey): RawBuilder<unknown> =>
  sql.join(
    keys.map(([name, column]) => sql`${sql.ref(column)} = ${key[name]}`),
    sql` and `,
  );

/** As part of the commit of the record that remembers what is booked. */
export async function addSpending(db: Kysely<Schema>, rows: readonly Spending[]): Promise<void> {
  for (const row of rows) {
    const key = keyOf(row);
    if (await maybeAdd(db, key, row)) continue;
    const { rows: found } = await sql<{ readonly count: number }>`
      select count(*) as count from spending where day = ${key.day} and agent_id = ${key.agentId}`.execute(
      db,
    );
    const isCrowded = (found[0]?.count ?? 0) >= SPENDING_ROWS_MAX;
    const place = isCrowded ? crowdedKey(key) : key;
    if (isCrowded && (await maybeAdd(db, place, row))) continue;
    await insert(db, place, row);
  }
}

async function maybeAdd(db: Kysely<Schema>, key: SpendingKey, meter: Meter): Promise<boolean> {
  const sums = sql.join(
    METER_KEYS.map((name) => sql`${sql.ref(METERS[name])} = ${sql.ref(METERS[name])} + ${meter[name]}`),
  );
  const { numAffectedRows } = await sql`update spending set ${sums} where ${isKey(key)}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

async function insert(db: Kysely<Schema>, key: SpendingKey, meter: Meter): Promise<void> {
  const names = [...keys.map(([, column]) => column), ...METER_KEYS.map((name) => METERS[name])];
  const values = [...keys.map(([name]) => key[name]), ...METER_KEYS.map((name) => meter[name])];
  await sql`
    insert into spending (${sql.join(names.map((name) => sql.ref(name)))})
    values (${sql.join(values)})`.execute(db);
}

/** `total` instead of `sum`, which fails when integers overflow. */
export async function spending(
  db: Kysely<Schema>,
  ...[{ from, by, limit }]: Arguments<'spending'>
): Promise<readonly SpendingSum[]> {
  const columns = by.map((name) => KEYS[name]);
  const grouped = sql.join(columns.map((column) => sql.ref(column)));
  const sums = sql.join(
    METER_KEYS.map((name) => sql`total(${sql.ref(METERS[name])}) as ${sql.ref(METERS[name])}`),
  );
  const { rows } = await sql<Record<string, string | number>>`
    select ${columns.length > 0 ? sql`${grouped}, ` : sql``}${sums} from spending
    where day >= ${dayOf(from as Instant)}
    ${columns.length > 0 ? sql`group by ${grouped}` : sql`having count(*) > 0`}
    order by cost_micros desc, tokens desc${columns.length > 0 ? sql`, ${grouped}` : sql``}
    limit ${limit}`.execute(db);
  return rows.map((row) => ({
    key: Object.fromEntries(by.map((name) => [name, row[KEYS[name]]])),
    ...(Object.fromEntries(METER_KEYS.map((name) => [name, row[METERS[name]]])) as unknown as Meter),
  }));
}
