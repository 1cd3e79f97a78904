import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, type ProcessTable } from '../../processes/index.ts';

/** What Claude Code writes about a session that runs: `sessions/<pid>.json` in its own folder. */
export type SessionFile = {
  readonly sessionId: string;
  readonly process: ProcessIdentity;
  /** Only sessions with a person at the terminal say it; null is anything else, and means hands off. */
  readonly status: 'idle' | 'busy' | 'waiting' | null;
};

/** Files of sessions whose process lives: the pid alone may be somebody else's by now. */
export function readSessionFiles(folder: string, table: ProcessTable): ReadonlyMap<string, SessionFile> {
  const found = new Map<string, SessionFile>();
  for (const name of namesIn(join(folder, 'sessions'))) {
    const file = readOne(join(folder, 'sessions', name), table.bootId);
    if (file && isAlive(table, file.process)) found.set(file.sessionId, file);
  }
  return found;
}

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
