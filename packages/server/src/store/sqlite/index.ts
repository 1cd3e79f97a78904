import { storeFrom } from '../operations.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { runBeside } from './beside.ts';
import type { ConnectionOptions, SealOptions } from './connection.ts';
import { StoreThread } from './thread.ts';

export type SqliteOptions = {
  /** How long to wait for another process that holds the write lock. */
  readonly busyTimeoutMs?: number;
  /** Maximum file size; beyond it the disk counts as full. */
  readonly sizeMaxBytes?: number;
  /** Most operations that may be queued; more fail as `busy`, so that memory stays bounded. */
  readonly waitingMax?: number;
  /** Called with the path of the copy made before a migration. */
  readonly onCopied?: (file: string) => void;
  /** For the server that owns the file. Default: the file is used as it is. */
  readonly seal?: Partial<SealOptions>;
};

/** A file that was exchanged or damaged is noticed within this time. */
const SEAL_EVERY_MS = 10_000;

/** The store in one SQLite file. Fails when the file can't be opened; recovers from later faults on its own. */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Store> {
  const { busyTimeoutMs = 1_000, sizeMaxBytes = null, waitingMax = 10_000 } = options;
  const seal = options.seal ? { isRestoreAccepted: false, everyMs: SEAL_EVERY_MS, ...options.seal } : null;
  const connection: ConnectionOptions = { path, busyTimeoutMs, sizeMaxBytes, isKnown: false, seal };
  const thread = new StoreThread(connection, waitingMax, options.onCopied);
  let isClosed = false;

  const store = storeFrom(async (operation, args): Promise<unknown> => {
    if (isClosed && operation !== 'close') throw new StoreUnavailable('closed', 'the store is closed');
    switch (operation) {
      case 'close':
        isClosed = true;
        return thread.close();
      case 'check':
        return runBeside({ kind: 'check', path });
      case 'backup':
        return runBeside({ kind: 'backup', path, target: String(args[0]) });
      default:
        return thread.request(operation, args);
    }
  });
  try {
    await store.lastCursor();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}
