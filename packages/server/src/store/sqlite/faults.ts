import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type StoreFault, StoreUnavailable } from '../store.ts';

/** SQLite's primary result codes; `unreachable` is refined further below. */
const BY_CODE: Readonly<Record<number, keyof typeof IN_WORDS | 'unreachable'>> = {
  1: 'unknown', // ERROR: for example, a missing table
  3: 'read_only', // PERM
  5: 'locked', // BUSY
  6: 'locked', // LOCKED
  7: 'unknown', // NOMEM
  8: 'read_only', // READONLY
  10: 'unreachable', // IOERR
  11: 'corrupt', // CORRUPT
  13: 'disk_full', // FULL
  14: 'unreachable', // CANTOPEN
  15: 'locked', // PROTOCOL: the locks of the write-ahead log
  26: 'corrupt', // NOTADB
};

const IN_WORDS: Readonly<Record<Exclude<StoreFault, 'unreachable' | 'denied'>, string>> = {
  disk_full: 'the disk is full',
  read_only: 'the database can only be read',
  locked: 'another process has locked the database',
  corrupt: 'the database file is damaged',
  missing: 'the database file or its folder is gone',
  newer_schema: 'the database was written by a newer Holter',
  older: 'an older copy of the database was put in its place',
  exchanged: 'another database was put in its place',
  busy: 'too many operations wait for the database',
  closed: 'the store is closed',
  unknown: 'the database failed',
};

/** The fault that a database error stands for; null for a programming error. */
export function faultOf(error: unknown, path: string): StoreUnavailable | null {
  if (error instanceof StoreUnavailable) return error;
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  const known = code === null ? undefined : BY_CODE[code];
  if (known === undefined) return null;
  const fault = known === 'unreachable' ? whyUnreachable(path) : known;
  return new StoreUnavailable(fault, `${IN_WORDS[fault]} (SQLite ${code}: ${error.message})`, {
    cause: error,
  });
}

function codeOf(error: Error): number | null {
  // Drops the upper bits of an extended code: they are not needed, and libsql has no names for them.
  if ('rawCode' in error && typeof error.rawCode === 'number') return error.rawCode & 0xff;
  // libsql reports a failure to open without a code, but with SQLite's number at the end of its text.
  const number = /Unable to open connection.*: (\d+)"?\)?$/.exec(error.message)?.[1];
  return number === undefined ? null : Number(number) & 0xff;
}

/** SQLite returns the same code for a missing folder, a read-only one and a failing disk. */
function whyUnreachable(path: string): keyof typeof IN_WORDS {
  const folder = dirname(path);
  if (!existsSync(folder)) return 'missing';
  try {
    accessSync(folder, constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
  } catch {
    return 'read_only';
  }
  return 'unknown';
}
