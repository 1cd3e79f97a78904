import type { Config } from './config/load.ts';
import type { DataFolder } from './data-folder.ts';
import type { Logger } from './logging/logger.ts';
import { ADDRESS_FORM, type DatabaseAddress, databaseAddress } from './policy/database-address.ts';
import { StartError } from './start-error.ts';
import { openSqlite } from './store/sqlite/index.ts';
import { NewerRecord, type Store, type StoreFault, StoreUnavailable } from './store/store.ts';

type OpenOptions = {
  readonly database?: string;
  readonly config: Pick<Config, 'database'>;
  readonly demo?: object;
  readonly logger: Logger;
  readonly isRestoreAccepted?: boolean;
};

/** A demo has its own data, wherever the real ones are. */
export function databaseOf({ database, config, demo }: OpenOptions): DatabaseAddress {
  const address = databaseAddress(demo ? 'sqlite' : (database ?? config.database));
  if (address) return address;
  throw new StartError(
    'store',
    `the address of the database must be ${ADDRESS_FORM}`,
    'correct --database or HOLTER_DATABASE',
  );
}

/**
 * Fails with what to do about it. A folder whose data is in PostgreSQL is not served from an empty file because the
 * address was forgotten: a server that `holter run` starts may not have been told.
 */
export async function openStore(
  folder: DataFolder,
  options: OpenOptions,
  address: DatabaseAddress,
): Promise<Store> {
  const place = folder.readDatabase();
  if (place !== null && address.kind === 'sqlite' && options.database === undefined && !options.demo)
    throw new StartError(
      'store',
      `the data of the folder ${folder.path} is in PostgreSQL at ${place}, and no address was given`,
      'name it: --database, HOLTER_DATABASE or holter.yaml; or leave it for an empty database in the folder: holter up --database sqlite',
    );
  const store = await opened(folder, options, address);
  folder.writeDatabase(address.kind === 'sqlite' ? null : address.place);
  return store;
}

async function opened(
  folder: DataFolder,
  { logger, isRestoreAccepted = false }: OpenOptions,
  address: DatabaseAddress,
): Promise<Store> {
  try {
    if (address.kind === 'postgres') {
      const { openPostgres } = await import('./store/postgres/index.ts');
      const store = await withReadableFleet(await openPostgres(address.url));
      logger.info({ database: address.place }, 'the data is in PostgreSQL');
      return store;
    }
    return await openSqlite(folder.databaseFile, {
      seal: { isRestoreAccepted },
      onCopied: (file) =>
        logger.info({ file }, 'the database is upgraded; as it was, it is kept in this file'),
    });
  } catch (error) {
    const code =
      error instanceof NewerRecord ? 'newer_schema' : error instanceof StoreUnavailable ? error.code : null;
    if (code === null) throw error;
    const isFile = address.kind === 'sqlite';
    throw new StartError(
      'store',
      `the database ${isFile ? folder.databaseFile : address.place} can't be used (${code}): ${(error as Error).message}`,
      isFile ? nextFor(code) : nextForPostgres(code),
      { cause: error },
    );
  }
}

/** Every judgement needs the state of the fleet. An agent that can't be read is left to newer servers; this can't. */
async function withReadableFleet(store: Store): Promise<Store> {
  try {
    await store.loadFleet();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What to do about a database that can't be used. */
function nextFor(code: StoreFault): string {
  const accept = 'holter up --accept-restored';
  if (code === 'exchanged') return `put the newest one back, or go on from this one: ${accept}`;
  if (code === 'missing') return `put it back, or begin without it: ${accept}`;
  if (code === 'corrupt') return `restore the newest backup (see docs/upgrade.md), then: ${accept}`;
  return 'see: holter db check';
}

function nextForPostgres(code: StoreFault): string {
  if (code === 'unreachable') return 'start PostgreSQL, or correct the address: --database, HOLTER_DATABASE';
  if (code === 'missing') return 'create the database (createdb), or correct its name';
  if (code === 'newer_schema')
    return 'update Holter: another server of a newer version has used the database';
  if (code === 'denied')
    return 'check the user, its password (~/.pgpass, PGPASSWORD, HOLTER_DATABASE) and its permissions: docs/operations.md#postgresql';
  return 'see docs/operations.md#postgresql';
}
