import type { AgentView, SystemView } from '@holter/server/local';
import { call } from '../background/http-call.ts';
import { ask } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { counted } from '../terminal/words.ts';
import type { Check } from './check.ts';

const ANSWER_MS = 3_000;
const AGENTS_MAX = 500;
const NAMED_MAX = 3;
const UNREAD_MAX = 900;
const POST_OFFICE = 'post office';

/** The troubleshooting of seed 001: can letters be sent, are pings answered, are the files written? */
export async function checkPost(connection: Connection, { post }: SystemView): Promise<readonly Check[]> {
  return [
    await checkOwnBox(connection, post.name),
    await checkOpenPort(post.maestroUrl),
    ...(await checkAgents(connection)),
    ...judgeEcos(post),
  ];
}

async function checkOwnBox(connection: Connection, name: string): Promise<Check> {
  try {
    const { count } = await ask(connection, (client) => client.unreadLetters({ agent: name }));
    return judgeBox(name, count);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return {
      about: POST_OFFICE,
      isFine: false,
      says: `the box of ${name}: ${error.message}`,
      next: error.next ?? 'holter up',
    };
  }
}

/** Unread letters do not make room for others: nearly a thousand fill the box. */
export function judgeBox(name: string, unread: number): Check {
  const letters = unread === 0 ? 'no unread letters' : counted(unread, 'unread letter');
  const isFine = unread < UNREAD_MAX;
  return {
    about: POST_OFFICE,
    isFine,
    says: `${name} has ${letters}${isFine ? '' : ': its box is nearly full, and then letters are refused'}`,
    next: `mark them as read: holter mail list --unread --all, holter mail read ID`,
  };
}

/** "Connection refused": the port of agents that have no token. */
async function checkOpenPort(url: string | null): Promise<Check> {
  const about = 'letters port';
  if (url === null)
    return { about, isFine: true, says: 'off; for agents without tokens: holter up --maestro-port 23000' };
  const next = 'is a firewall or a proxy between? See docs/remote-agents.md#troubleshooting';
  try {
    const { status } = await call({ url, token: null }, 'GET', '/health', undefined, ANSWER_MS);
    const ok = status === 200;
    return { about, isFine: ok, says: ok ? `${url} answers` : `${url}/health answers ${status}`, next };
  } catch {
    return { about, isFine: false, says: `${url} does not answer`, next };
  }
}

async function checkAgents(connection: Connection): Promise<readonly Check[]> {
  const { agents } = await ask(connection, (client) => client.agents({ limit: String(AGENTS_MAX) }));
  return judgePings(agents);
}

type Pinged = Pick<AgentView, 'agentId' | 'promises' | 'end' | 'lastSignAt' | 'startedAt'> & {
  readonly findings: readonly Pick<AgentView['findings'][number], 'kind'>[];
};

/** "Shown as offline, but it is running": it does not poll its box, or its hook fails. */
export function judgePings(agents: readonly Pinged[]): readonly Check[] {
  const pinged = agents.filter(({ promises, end }) => promises.pongs === true && end === null);
  if (pinged.length === 0) return [];
  const deaf = pinged.filter(({ findings }) => findings.some(({ kind }) => kind === 'no-pong'));
  const never = deaf.filter(({ lastSignAt, startedAt }) => lastSignAt === null || lastSignAt <= startedAt);
  const says =
    deaf.length === 0
      ? `missed by none of ${counted(pinged.length, 'agent')}`
      : `not answered by ${named(deaf)}`;
  const next =
    never.length > 0
      ? `${named(never)} has never been heard: does it poll its box? See docs/remote-agents.md#troubleshooting`
      : 'does its loop or hook still poll its box? If its work blocks it for long: watch: tasks (docs/remote-agents.md#long-operations)';
  return [{ about: 'pings', isFine: deaf.length === 0, says, next }];
}

export function judgeEcos({ ecos }: Pick<SystemView['post'], 'ecos'>): readonly Check[] {
  if (!ecos) return [];
  const { folder, trouble } = ecos;
  const next = 'make the folder writable for Holter, and remove links in it';
  return [{ about: 'ecos folder', isFine: trouble === null, says: trouble ?? folder, next }];
}

function named(agents: readonly Pick<AgentView, 'agentId'>[]): string {
  const ids = agents.slice(0, NAMED_MAX).map(({ agentId }) => agentId);
  const more = agents.length > NAMED_MAX ? `, and ${agents.length - NAMED_MAX} more` : '';
  return `${ids.join(', ')}${more}`;
}
