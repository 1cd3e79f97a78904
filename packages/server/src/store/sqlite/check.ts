import type Database from 'libsql';

const NAMED_MAX = 20;

/** Each query finds inconsistent rows; the first column identifies them. */
const RELATIONS: readonly (readonly [what: string, query: string])[] = [
  [
    'agent without soft facts, or with those of another start',
    `select a.agent_id from agents a left join soft s on s.agent_id = a.agent_id
     where s.agent_id is null or s.incarnation <> a.incarnation`,
  ],
  [
    'soft facts without an agent',
    'select agent_id from soft where agent_id not in (select agent_id from agents)',
  ],
  [
    'agent whose columns differ from its record',
    `select agent_id from agents where not json_valid(hard) or wake_at <> hard ->> '$.wakeAt'
     or agent_id <> hard ->> '$.agentId' or incarnation <> hard ->> '$.incarnation'
     or health <> hard ->> '$.health' or health_since <> hard ->> '$.healthSince'
     or group_name <> hard ->> '$.group' or has_ended <> (hard -> '$.end' is not null)
     or has_incident <> (hard -> '$.incident' is not null)`,
  ],
  [
    'effect without an agent',
    `select id from effects where agent_id not in (select agent_id from agents) and agent_id not like 'fleet:%'`,
  ],
  [
    'effect whose columns differ from its record',
    `select id from effects where not json_valid(body) or id <> body ->> '$.id'
     or executor is not body ->> '$.executor' or agent_id <> body ->> '$.agentId'
     or (record_version > 1 and (lives_by <> body ->> '$.livesBy' or until is not body ->> '$.until'))`,
  ],
  [
    'effect that is settled and open at once',
    `select id from effects where (settled_at is null) <> (status in ('pending', 'claimed'))`,
  ],
  ['event that is not readable', 'select cursor from events where not json_valid(body)'],
  [
    'event behind the last cursor',
    `select cursor from events where cursor > (select seq from sqlite_sequence where name = 'events')`,
  ],
  ['fleet that is not readable', 'select id from fleet where not json_valid(state)'],
];

/** Problems of the file and of its contents, as sentences. */
export function problemsOf(database: Database.Database): string[] {
  const rows = database.prepare('pragma integrity_check').all([]) as { readonly integrity_check: string }[];
  const damage = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  // In a damaged file, inconsistent rows add no information.
  if (damage.length > 0) return damage.map((text) => `the file is damaged: ${text}`);
  return RELATIONS.flatMap(([what, query]) => {
    const found = database.prepare(`${query} limit ${NAMED_MAX + 1}`).all([]) as Readonly<
      Record<string, unknown>
    >[];
    const names = found.slice(0, NAMED_MAX).map((row) => `${what}: ${String(Object.values(row)[0])}`);
    return found.length > NAMED_MAX ? [...names, `${what}: and more`] : names;
  });
}
