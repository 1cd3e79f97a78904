import { METER_KEYS, type Meter, type Spending } from '@holter/core';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { crowdedKey, keyOf, SPENDING_ROWS_MAX, type SpendingKey } from '../spending.ts';
import type { Schema } from '../sql/schema.ts';
import { KEYS, METERS } from '../sql/spending.ts';

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
