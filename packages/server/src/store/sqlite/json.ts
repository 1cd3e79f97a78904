import { RECORD_VERSION, type RecordKind, upcast } from '@holter/core';
import { damaged } from './faults.ts';

/**
 * A stored record as today's code knows it. What Holter wrote itself is believed to have the shape of its version; that
 * it is JSON at all is not. A record of a newer Holter is refused by itself, and lists leave it out: a server that has
 * not been updated yet goes on with the others.
 */
export function parseRecord<Kind extends RecordKind>(
  kind: Kind,
  text: string,
  version: number,
  what: string,
): NonNullable<ReturnType<typeof upcast<Kind>>> {
  const record = upcast(kind, parse(text, what), version);
  if (record !== null) return record;
  throw new Error(
    `${what} was written by a newer Holter (record ${version}, this one knows ${RECORD_VERSION}): update Holter`,
  );
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(what);
  }
}
