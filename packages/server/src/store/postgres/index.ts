import { storeFrom } from '../operations.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { type ConnectionOptions, Connections } from './connections.ts';
import { faultOf } from './faults.ts';
import { handlers } from './handlers.ts';
import { migrate } from './migrations.ts';

export type PostgresOptions = Partial<Omit<ConnectionOptions, 'url'>> & {
  /** Most operations that may be under way; more fail as `busy`, so that memory stays bounded. */
  readonly waitingMax?: number;
};

/** A new version may have to rewrite large tables, and other servers wait for it. */
const MIGRATION_MS_MAX = 600_000;

/**
 * The store in a PostgreSQL database, which several servers may share. Fails when the database can't be opened; recovers
 * from later faults on its own. `url` may contain a password: no message repeats it.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { connectionsMax = 10, answerMsMax = 10_000, waitingMax = 10_000 } = options;
  await prepare(url);
  const connections = new Connections({ url, connectionsMax, answerMsMax });
  let waiting = 0;
  let closing: Promise<void> | null = null;

  return storeFrom(async (operation, args): Promise<unknown> => {
    if (operation === 'close') {
      closing ??= connections.close();
      return closing;
    }
    if (closing !== null) throw new StoreUnavailable('closed', 'the store is closed');
    if (waiting >= waitingMax)
      throw new StoreUnavailable(
        'busy',
        `${waiting} operations wait for PostgreSQL: it is too slow, or stuck`,
      );
    waiting += 1;
    try {
      const handler = handlers[operation as keyof typeof handlers];
      return await (handler as (...args: readonly unknown[]) => Promise<unknown>)(connections, ...args);
    } catch (error) {
      throw faultOf(error) ?? error;
    } finally {
      waiting -= 1;
    }
  });
}

async function prepare(url: string): Promise<void> {
  const connections = new Connections({ url, connectionsMax: 1, answerMsMax: MIGRATION_MS_MAX });
  try {
    await migrate(connections);
  } catch (error) {
    throw faultOf(error) ?? error;
  } finally {
    await connections.close();
  }
}
