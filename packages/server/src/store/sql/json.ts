import { RECORD_VERSION, type RecordKind, upcast } from '@holter/core';
import { NewerRecord, StoreUnavailable } from '../store.ts';

/**
 * Converts a stored record to the current version. That it is JSON is checked; that it has the shape of its version
 * is not, because Holter wrote it. A record of a newer Holter is refused, and lists omit it, so that a server that
 * has not been updated yet keeps working with the others.
 */
export function parseRecord<Kind extends RecordKind>(
  kind: Kind,
  text: string,
  version: number,
  what: string,
): NonNullable<ReturnType<typeof upcast<Kind>>> {
  const record = upcast(kind, parse(text, what), version);
  if (record !== null) return record;
  throw new NewerRecord(
    `${what} was written by a newer Holter (record ${version}, this one knows ${RECORD_VERSION}): update Holter`,
  );
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Holter did not write it, or only partly.
    throw new StoreUnavailable('corrupt', `the database is damaged (${what} is not readable)`);
  }
}
