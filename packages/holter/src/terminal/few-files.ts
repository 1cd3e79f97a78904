/**
 * The sentence for an error whose cause is that this process may not open more files; null for any other error.
 * Imports nothing, because loading another file is what fails then.
 */
export function tooFewFiles(error: unknown): string | null {
  const { code, message = '' } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  if (code !== 'EMFILE' && code !== 'ENFILE' && !/\bE[MN]FILE\b/.test(String(message))) return null;
  return 'the system lets Holter open too few files; allow it at least 1024: ulimit -n 1024';
}
