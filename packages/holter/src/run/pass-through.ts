import { write } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Clock } from '@holter/server/process';

/**
 * A child's output to where ours goes, byte by byte. Written on a thread of libuv's pool: Node's own stdout
 * blocks the whole process when a pipe is full, and a monitor that hangs with its reader sees nothing. The
 * next chunk is read when the last one is written, so a slow reader slows the child, as without Holter.
 */
export async function passThrough(
  from: Readable,
  fd: number,
  clock: Clock,
  seen: (bytes: Buffer) => void,
): Promise<void> {
  try {
    for await (const chunk of from) {
      const bytes = chunk as Buffer;
      seen(bytes);
      await writeAll(fd, bytes, clock);
    }
  } catch (error) {
    // Our reader is gone: the child shall learn it the usual way, by writing into a closed pipe.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    from.destroy();
  }
}

const AGAIN_MS = 5;

async function writeAll(fd: number, bytes: Buffer, clock: Clock): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const result = await writeOnce(fd, bytes, offset);
    if (typeof result === 'number') offset += result;
    // Somebody made the pipe non-blocking, and it is full.
    else if (result.code === 'EAGAIN')
      await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
    else throw result;
  }
}

const writeOnce = (fd: number, bytes: Buffer, offset: number): Promise<number | NodeJS.ErrnoException> =>
  new Promise((resolve) => {
    write(fd, bytes, offset, bytes.length - offset, null, (error, written) => resolve(error ?? written));
  });
