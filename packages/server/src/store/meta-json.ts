import { NewerRecord } from './store.ts';

/** A value of `meta` as JSON that states its version, so that a later shape can be told from this one. */
export const metaJson = (version: number, value: object): string => JSON.stringify({ version, ...value });

/** `newest` is the version that the caller knows. Values that state none are of version 1. */
export function readMetaJson<T extends object>(text: string, newest: number, what: string): T {
  const { version = 1, ...value } = JSON.parse(text) as T & { readonly version?: number };
  if (version <= newest) return value as T;
  throw new NewerRecord(
    `${what} was written by a newer Holter (version ${version}, this one knows ${newest}): update Holter`,
  );
}
