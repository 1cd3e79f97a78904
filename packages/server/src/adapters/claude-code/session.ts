import { join } from 'node:path';
import { type FileAnswer, type KnownFile, namesIn, ownerOf, readChangedFile } from '../../files/index.ts';
import { isAlive, type ProcessTable } from '../../processes/index.ts';
import { parseRecord } from '../shared/json.ts';
import type { ReadSessionFiles, SessionFile } from '../shared/session-file.ts';
import { claudeFolder } from './own-folder.ts';

/** More than a machine has sessions; more than that is no list of sessions. */
const FILES_MAX = 1_000;
const BYTES_MAX = 64 * 1024;

/**
 * What Claude Code writes about a session that runs: `sessions/<pid>.json` in its own folder. Only files whose
 * process lives count, because the pid may belong to another process by now; and only files of that process's user.
 */
export const readSessionFiles: ReadSessionFiles = async (env, table, { noted, known = new Map() } = {}) => {
  const folder = join(claudeFolder(env), 'sessions');
  const names = (await namesIn(folder, FILES_MAX)).filter((name) => /^\d+\.json$/.test(name));
  const found = new Map<string, SessionFile>();
  const paths = new Set(names.map((name) => join(folder, name)));
  for (const path of known.keys()) if (!paths.has(path)) known.delete(path);
  const read = async (name: string): Promise<void> => {
    const path = join(folder, name);
    const answer = await readOne(path, Number.parseInt(name, 10), table, known);
    noted?.(path, answer);
    if (answer.kind === 'ok' && answer.value && isAlive(table, answer.value.process))
      found.set(answer.value.sessionId, answer.value);
  };
  await Promise.all(names.map(read));
  return found;
};

/** Only sessions with a person at the terminal say it. */
const STATUSES: ReadonlySet<unknown> = new Set(['idle', 'busy', 'waiting']);

/** Null for a file that is being written, or of another version. */
async function readOne(
  path: string,
  namedPid: number,
  table: ProcessTable,
  known: Map<string, KnownFile>,
): Promise<FileAnswer<SessionFile | null>> {
  const isOwner = ownerOf(() => table.userOf(namedPid));
  const answer = await readChangedFile(path, { isOwner, bytesMax: BYTES_MAX }, known.get(path));
  if (answer.kind !== 'ok') return answer;
  known.set(path, answer.value);
  const { pid, procStart, sessionId, status } = parseRecord(answer.value.content.toString()) ?? {};
  if (pid !== namedPid || typeof procStart !== 'string' || typeof sessionId !== 'string')
    return { kind: 'ok', value: null };
  const process = { bootId: table.bootId, pid, startedAt: procStart };
  const understood = STATUSES.has(status) ? (status as SessionFile['status']) : null;
  return { kind: 'ok', value: { sessionId, process, status: understood } };
}
