import { execFileSync } from 'node:child_process';
import type { Terminal } from './child.ts';

/**
 * A killed program leaves the terminal in its own state: raw, without echo, on the alternate screen. This saves the
 * settings; the returned function restores them.
 */
export function keepTerminal({ input, output }: Terminal): () => void {
  if (!input) return () => undefined;
  const settings = stty(['-g'])?.trim();
  return () => {
    if (settings !== undefined) stty([settings]);
    // Alternate screen off, cursor on, mouse and bracketed paste off.
    if (output) process.stdout.write('\u001b[?1049l\u001b[?25h\u001b[?1000l\u001b[?2004l');
  };
}

function stty(args: readonly string[]): string | undefined {
  try {
    return execFileSync('stty', args, { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
  } catch {
    return undefined;
  }
}
