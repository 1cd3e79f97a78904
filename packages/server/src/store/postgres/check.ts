import { type Kysely, sql } from 'kysely';
import { plainText } from '../facts.ts';
import type { Schema } from '../sql/schema.ts';

const NAMED_MAX = 20;

/** Each query finds inconsistent rows; its column identifies them. */
const RELATIONS: readonly (readonly [what: string, query: string])[] = [
  [
    'agent without soft facts, or with those of another start',
    `select a.agent_id as id from agents a left join soft s on s.agent_id = a.agent_id
     where s.agent_id is null or s.incarnation <> a.incarnation`,
  ],
  [
    'agent without a time of its next check, or with that of another version',
    `select a.agent_id as id from agents a left join due d on d.agent_id = a.agent_id
     where d.agent_id is null or d.version <> a.version or d.incarnation <> a.incarnation`,
  ],
  [
    'soft facts without an agent',
    'select agent_id as id from soft where agent_id not in (select agent_id from agents)',
  ],
  [
    'effect without an agent',
    `select id from effects where agent_id not in (select agent_id from agents) and agent_id not like 'fleet:%'`,
  ],
  [
    'effect that is settled and open at once',
    `select id from effects where (settled_at is null) <> (status in ('pending', 'claimed'))`,
  ],
];

/** Records, and which of their fields are also columns. */
const RECORDS = [
  {
    table: 'agents',
    key: 'agent_id',
    text: 'hard',
    fields: {
      agent_id: 'agentId',
      incarnation: 'incarnation',
      health: 'health',
      health_since: 'healthSince',
    },
  },
  {
    table: 'effects',
    key: 'id',
    text: 'body',
    fields: { id: 'id', agent_id: 'agentId', lives_by: 'livesBy' },
  },
  { table: 'events', key: 'cursor', text: 'body', fields: { type: 'type', at: 'at' } },
] as const;

const PAGE = 1_000;

/** Problems of the contents, as sentences. PostgreSQL checks its files itself. */
export async function problemsOf(db: Kysely<Schema>): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [what, query] of RELATIONS) {
    const { rows } = await sql<{ readonly id: string }>`${sql.raw(query)} limit ${NAMED_MAX + 1}`.execute(db);
    problems.push(...rows.map(({ id }) => `${what}: ${id}`));
  }
  for (const record of RECORDS) problems.push(...(await differences(db, record)));
  return problems;
}

async function differences(db: Kysely<Schema>, record: (typeof RECORDS)[number]): Promise<readonly string[]> {
  const { table, key, text, fields } = record;
  const columns = Object.entries(fields);
  const names = sql.join([key, text, ...columns.map(([column]) => column)].map((name) => sql.ref(name)));
  const found: string[] = [];
  let after: unknown = null;
  for (;;) {
    const further = after === null ? sql`true` : sql`${sql.ref(key)} > ${after}`;
    const { rows } = await sql<Readonly<Record<string, string | number>>>`
      select ${names} from ${sql.table(table)} where ${further} order by ${sql.ref(key)} limit ${PAGE}`.execute(
      db,
    );
    for (const row of rows) {
      const content = parsed(String(row[text]));
      const isSame = columns.every(
        ([column, field]) => plainText(String(content?.[field])) === String(row[column]),
      );
      if (!isSame)
        found.push(`${table}, ${row[key]}: its columns differ from its record, or it is not readable`);
    }
    after = rows.at(-1)?.[key];
    if (rows.length < PAGE || found.length > NAMED_MAX) return found;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}
