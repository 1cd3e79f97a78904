import { execFileSync } from 'node:child_process';
import type { Terminal } from './child.ts';

/** Alternate screen off, cursor on, mouse and bracketed paste off. */
export const RESET = ['?1049l', '?25h', '?1000l', '?1002l', '?1003l', '?1006l', '?2004l']
  .map((code) => `\u001b[${code}`)
  .join('');

/**
 * A killed program leaves the terminal in its own state: raw, without echo, on the alternate screen. This saves the
 * settings; the returned function restores them.
 */
export function keepTerminal({ input, output }: Terminal): () => void {
  if (!input) return () => undefined;
  const settings = terminalSettings();
  return () => {
    if (settings !== undefined) stty([settings]);
    if (output) process.stdout.write(RESET);
  };
}

/** As `stty` takes them back. */
export const terminalSettings = (): string | undefined => stty(['-g'])?.trim();

function stty(args: readonly string[]): string | undefined {
  try {
    return execFileSync('stty', args, { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
  } catch {
    return undefined;
  }
}
