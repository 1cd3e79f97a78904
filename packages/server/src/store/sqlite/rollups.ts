import { type Kysely, sql } from 'kysely';
import type { Tallies } from '../rollup.ts';
import { COUNTS, STATES } from '../sql/rollups.ts';
import type { Schema } from '../sql/schema.ts';

const COLUMNS = [...COUNTS, ...STATES.map(([, column]) => column)];
const names = sql.join(['agent_id', 'hour', ...COLUMNS].map((column) => sql.ref(column)));
const values = sql.join(['', '', ...COLUMNS].map((_, index) => sql`entry.value ->> ${sql.lit(index)}`));
const sums = sql.join(
  COLUMNS.map(
    (column) => sql`${sql.ref(column)} = ${sql.ref(`rollups.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
  ),
);

export type AgentTallies = readonly [agentId: string, Tallies];

export async function addRollups(db: Kysely<Schema>, tallies: readonly AgentTallies[]): Promise<void> {
  const rows = tallies.flatMap(([agentId, hours]) =>
    [...hours].map(([hour, tally]) => [
      agentId,
      hour,
      ...COUNTS.map((count) => tally[count]),
      ...STATES.map(([state]) => tally.stateMs[state] ?? 0),
    ]),
  );
  if (rows.length === 0) return;
  await sql`
    insert into rollups (${names})
    select ${values} from json_each(${JSON.stringify(rows)}) as entry where true
    on conflict (agent_id, hour) do update set ${sums}`.execute(db);
}
