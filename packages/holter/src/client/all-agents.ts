import type { AgentFilter, AgentView } from '@holter/server/local';
import { ask } from './ask.ts';
import type { Connection } from './connection.ts';

type Filter = { readonly [Key in 'state' | 'group' | 'q']?: AgentFilter[Key] | undefined };

const PAGE = 500;

export async function allAgents(connection: Connection, filter: Filter): Promise<readonly AgentView[]> {
  const agents: AgentView[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(connection, (client) => client.agents({ ...filter, cursor, limit: String(PAGE) }));
    agents.push(...page.agents);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return agents;
}
