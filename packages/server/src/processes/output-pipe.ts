import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The child writes to `fd`, this process reads from `stream`. */
type OutputPipe = { readonly fd: number; readonly stream: Readable };

/**
 * A pipe of the system for the output of a child. Node would give it a socket, and a socket can't be opened again:
 * `echo x > /dev/stderr` would fail under Holter alone. Null where no pipe can be made.
 */
export function openOutputPipe(): OutputPipe | null {
  let folder: string | null = null;
  try {
    folder = mkdtempSync(join(tmpdir(), 'holter-pipe-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
    // The reading end first, and without waiting: an end that waits for the other would wait for ever.
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(path, constants.O_WRONLY);
    return { fd, stream: new Socket({ fd: reading, readable: true, writable: false }) };
  } catch {
    return null;
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}
