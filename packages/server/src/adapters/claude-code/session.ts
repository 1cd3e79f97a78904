import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../processes/index.ts';
import type { ReadSessionFiles, SessionFile } from '../shared/session-file.ts';
import { claudeFolder } from './own-folder.ts';

/**
 * What Claude Code writes about a session that runs: `sessions/<pid>.json` in its own folder. Only files whose
 * process lives count, because the pid may belong to another process by now.
 */
export const readSessionFiles: ReadSessionFiles = (env, table) => {
  const folder = join(claudeFolder(env), 'sessions');
  const found = new Map<string, SessionFile>();
  for (const name of namesIn(folder)) {
    const file = readOne(join(folder, name), table.bootId);
    if (file && isAlive(table, file.process)) found.set(file.sessionId, file);
  }
  return found;
};

/** Only sessions with a person at the terminal say it. */
const STATUSES: ReadonlySet<unknown> = new Set(['idle', 'busy', 'waiting']);

function readOne(path: string, bootId: string): SessionFile | null {
  try {
    const { pid, procStart, sessionId, status } = JSON.parse(readFileSync(path, 'utf8')) as Record<
      string,
      unknown
    >;
    if (typeof pid !== 'number' || typeof procStart !== 'string' || typeof sessionId !== 'string')
      return null;
    const known = STATUSES.has(status) ? (status as SessionFile['status']) : null;
    return { sessionId, process: { bootId, pid, startedAt: procStart }, status: known };
  } catch {
    // Being written, or of another version.
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
}
