import { dayOf, type Instant, METER_KEYS, type Meter } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { Arguments } from '../operations.ts';
import type { SpendingKey, SpendingSum } from '../spending.ts';
import type { Schema } from './schema.ts';

export const KEYS = {
  day: 'day',
  agentId: 'agent_id',
  group: 'group_name',
  taskId: 'task_id',
  model: 'model',
} as const satisfies Record<keyof SpendingKey, string>;

export const METERS = {
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

/** Sums of floating-point numbers do not overflow. */
export async function spending(
  db: Kysely<Schema>,
  ...[{ from, by, limit }]: Arguments<'spending'>
): Promise<readonly SpendingSum[]> {
  const columns = by.map((name) => KEYS[name]);
  const grouped = sql.join(columns.map((column) => sql.ref(column)));
  const sums = sql.join(
    METER_KEYS.map(
      (name) => sql`sum(cast(${sql.ref(METERS[name])} as double precision)) as ${sql.ref(METERS[name])}`,
    ),
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
