/** Where the data is: in the data folder, or in a PostgreSQL database. `place` has no credentials. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite' }
  | { readonly kind: 'postgres'; readonly url: string; readonly place: string };

export const ADDRESS_FORM = 'sqlite, or an address such as postgres://holter@db.example.org/holter';

/** Null for what is no address. */
export function databaseAddress(text: string): DatabaseAddress | null {
  if (/^sqlite(?::\/*)?$/.test(text)) return { kind: 'sqlite' };
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const host = url.searchParams.get('host') ?? (url.host || 'localhost');
  return { kind: 'postgres', url: text, place: `${host}${url.pathname}` };
}

/** Whether it contains a password. */
export function hasPassword(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.password !== '' || url.searchParams.has('password'));
}
