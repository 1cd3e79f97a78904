import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store } from '@holter/server';
import type { DatabaseAddress } from '@holter/server/config';
import { DataFolder, dataFolderPath } from '@holter/server/local';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { databaseHere } from './database.ts';

type PostgresAddress = Extract<DatabaseAddress, { kind: 'postgres' }>;
type DbOptions = { readonly data?: string; readonly database?: string; readonly json?: boolean };

/** These commands open the database itself, so they also work when the server does not run. */
export function registerDb(program: Command, io: Io): void {
  const db = program.command('db').description('back up and check the database');

  withExamples(
    db
      .command('backup')
      .description('a consistent copy, also while the server is writing')
      .argument('<file>', 'where to put it; an existing file is never replaced')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)'),
    [['holter db backup holter-backup.db', 'copy the database']],
  ).action(async (file: string, options: DbOptions) => {
    if (databaseHere(io, undefined).kind === 'postgres')
      throw new CliFailure(
        'the data is in PostgreSQL, which has its own tools for copies',
        'pg_dump --format=custom: see docs/operations.md#postgresql',
      );
    const target = resolve(io.workingDirectory, file);
    await withStore(io, options, (store) => store.backup(target));
    io.out(`backed up to ${target}\n`);
  });

  withExamples(
    db
      .command('check')
      .description('look for damage; exit code 3 when there is some')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)')
      .option('--database <url>', 'postgres://… (default: HOLTER_DATABASE, else holter.yaml)')
      .option('--json', 'print JSON'),
    [['holter db check', 'is the database sound?']],
  ).action(async (options: DbOptions) => {
    const address = databaseHere(io, options.database);
    const problems =
      address.kind === 'postgres'
        ? await checkPostgres(address)
        : await withStore(io, options, (store) => store.check());
    if (options.json) io.out(`${JSON.stringify({ ok: problems.length === 0, problems })}\n`);
    else io.out(problems.length === 0 ? 'the database is sound\n' : `${problems.join('\n')}\n`);
    if (problems.length > 0) io.setExitCode(EXIT.foundWrong);
  });
}

async function checkPostgres({ url, place }: PostgresAddress): Promise<readonly string[]> {
  const { openPostgres, StoreUnavailable } = await import('@holter/server');
  try {
    const store = await openPostgres(url);
    return await store.check().finally(() => store.close());
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CliFailure(`the database ${place} can't be used (${error.code}): ${error.message}`);
  }
}

async function withStore<T>(io: Io, options: DbOptions, use: (store: Store) => Promise<T>): Promise<T> {
  const { databaseFile } = new DataFolder(dataFolderPath(options.data, io.env));
  if (!existsSync(databaseFile)) {
    throw new CliFailure(
      `there is no database at ${databaseFile}`,
      'name its folder: --data DIR, or HOLTER_DATA',
    );
  }
  const { openSqlite, sealFault, StoreUnavailable } = await import('@holter/server');
  let store: Store | null = null;
  try {
    // Opened as it is, an older copy would get the write-ahead log of the newer one.
    const fault = sealFault(databaseFile);
    if (fault) throw fault;
    store = await openSqlite(databaseFile);
    return await use(store);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const isWrong = error.code === 'corrupt' || error.code === 'exchanged';
    const next =
      error.code === 'exchanged'
        ? 'put the newest one back, or go on from this one: holter up --accept-restored'
        : 'keep the file, and restore the newest backup beside it';
    throw new CliFailure(
      `the database ${databaseFile} can't be used (${error.code}): ${error.message}`,
      isWrong ? next : null,
      isWrong ? EXIT.foundWrong : EXIT.error,
    );
  } finally {
    await store?.close();
  }
}
