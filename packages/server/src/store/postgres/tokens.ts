import { startTokenPrefix } from '../facts.ts';
import type { StoredToken } from '../store.ts';
import { literal } from './text.ts';

/** A fleet that starts needs a token for each agent at once, so the statements are sent in one message. */
export function putToken(token: StoredToken, newestMax?: number): readonly string[] {
  const { id, hash, role, agentId, group, createdAt, revokedAt } = token;
  const row = [hash, role, agentId, group, createdAt, revokedAt].map(literal).join(', ');
  const put = `insert into tokens (id, ${COLUMNS}) values (${literal(id)}, ${row})
    on conflict (id) do update set (${COLUMNS}) = (${row})`;
  if (newestMax === undefined || agentId === null) return [put];
  const prefix = startTokenPrefix(agentId);
  const ofStarts = `id >= ${literal(prefix)} and id < ${literal(`${prefix}\u{10ffff}`)}`;
  return [
    put,
    `delete from tokens where ${ofStarts} and id not in (
       select id from tokens where ${ofStarts} order by created_at desc, seq desc limit ${literal(newestMax)})`,
  ];
}

const COLUMNS = 'hash, role, agent_id, group_name, created_at, revoked_at';
