import pg from 'pg';
import { type StoreFault, StoreUnavailable } from '../store.ts';

/** By SQLSTATE, or by the first two characters of one; https://www.postgresql.org/docs/current/errcodes-appendix.html */
const BY_CODE: Readonly<Record<string, StoreFault>> = {
  '08': 'unreachable', // connection exceptions
  '22012': 'locked', // as 40: see `isRepeatable`
  '25006': 'read_only', // a standby, or a database that was made read-only
  '28': 'denied', // wrong user or password
  '3D000': 'missing', // no such database
  '40': 'locked', // another transaction came first, too often
  '42501': 'denied', // insufficient privilege
  '53100': 'disk_full',
  '53': 'busy', // too many connections, out of memory
  '55P03': 'locked', // lock not available in time
  '57014': 'locked', // cancelled, for example by a statement time-out
  '57': 'unreachable', // shutting down, starting, crashed
  '58': 'unknown', // I/O errors
  XX: 'corrupt',
};

const IN_WORDS: Partial<Readonly<Record<StoreFault, string>>> = {
  unreachable: 'PostgreSQL is not reachable',
  denied: 'PostgreSQL refuses access',
  missing: 'the database does not exist',
  read_only: 'the database can only be read: it is a standby, or was made read-only',
  locked: 'another transaction has locked what is needed',
  busy: 'PostgreSQL has no room for more',
  disk_full: 'the disk of the database is full',
  corrupt: 'the database is damaged',
};

/** The fault that an error of `pg` stands for; null for a programming error. */
export function faultOf(error: unknown): StoreUnavailable | null {
  if (error instanceof StoreUnavailable) return error;
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  const fault = isConnectionLost(error) ? 'unreachable' : (BY_CODE[code] ?? BY_CODE[code.slice(0, 2)]);
  if (fault === undefined) return null;
  return new StoreUnavailable(fault, `${IN_WORDS[fault] ?? 'PostgreSQL failed'} (${detailOf(error)})`, {
    cause: error,
  });
}

/** An operation has no answer: the connection is of no use any more. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (error instanceof pg.DatabaseError) return code.startsWith('08') || code.startsWith('57P');
  // `pg` gives some of its own errors only a text.
  return (
    /^E(?!RR_)/.test(code) || /^(?:Connection terminated|Query read timeout|Client )/.test(error.message)
  );
}

/** Another transaction came first: a deadlock, a serialization failure, or a row that it has inserted or changed. */
export const isRepeatable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ['40001', '40P01', '23505', CHANGED].includes(codeOf(error));

/** Division by zero, by which a commit fails when a row has changed since it was read. */
const CHANGED = '22012';

/** Why no connection could be opened. */
export const connectFault = (error: unknown): StoreUnavailable =>
  (error instanceof pg.DatabaseError ? faultOf(error) : null) ?? unreachable(error as Error);

const unreachable = (error: Error): StoreUnavailable =>
  new StoreUnavailable('unreachable', `${IN_WORDS.unreachable} (${detailOf(error)})`, { cause: error });

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

/** Several addresses may have refused: Node then gives a text to each, and none to the whole. */
function detailOf(error: Error): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors
      .map((each: unknown) => (each instanceof Error ? each.message : String(each)))
      .join('; ');
  return error.message;
}
