import type { DataFolder } from '@holter/server/local';
import type { AgentPage } from '@holter/server/wire';
import { call, type Target } from './http-call.ts';

/** Whether somebody has asked for this server to stay, or agents need it. */
export const isWanted = async (folder: DataFolder, url: string): Promise<boolean> =>
  folder.isAskedToStay(process.pid) || (await isNeeded({ url, token: folder.readToken('viewer') }));

/**
 * Whether agents need this server: one that has not ended, or an open incident. An incident that waits for a person
 * counts: without a server nobody could be shown it, or decide.
 */
async function isNeeded(target: Target): Promise<boolean> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await call(target, 'GET', `/v1/agents?${query}`);
    // If the check fails, agents may still be there, so the server does not end.
    if (status !== 200) return true;
    const { agents, nextCursor } = body as AgentPage;
    if (agents.some(({ end, incident }) => end === null || incident !== null)) return true;
    cursor = nextCursor;
  }
  return false;
}
