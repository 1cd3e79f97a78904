import { write } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@holter/server/process';

/** The most that is buffered for a slow reader; beyond it the child blocks, as it would without Holter. */
const WAITING_BYTES_MAX = 1024 * 1024;

/**
 * Copies a child's output to the output of this process, byte by byte. The writes run in libuv's thread pool: Node's
 * own stdout blocks the whole process when a pipe is full, and a blocked monitor sees nothing. While one chunk is
 * written, the following ones are collected and written together.
 */
export async function passThrough(
  from: Readable,
  fd: number,
  clock: Clock,
  seen: (bytes: Buffer) => void,
): Promise<void> {
  const to = new Writable({
    highWaterMark: WAITING_BYTES_MAX,
    write: (chunk: Buffer, _encoding, done) => writeThen(fd, chunk, clock, done),
    writev: (chunks, done) =>
      writeThen(fd, Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), clock, done),
  });
  from.on('data', seen);
  try {
    await pipeline(from, to);
  } catch (error) {
    // The reader is gone. `pipeline` has closed the child's end too, so that its next write fails as usual.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

function writeThen(fd: number, bytes: Buffer, clock: Clock, done: (error?: Error) => void): void {
  writeAll(fd, bytes, clock).then(() => done(), done);
}

const AGAIN_MS = 5;

async function writeAll(fd: number, bytes: Buffer, clock: Clock): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const result = await writeOnce(fd, bytes, offset);
    if (typeof result === 'number') offset += result;
    // Another process made the pipe non-blocking, and it is full.
    else if (result.code === 'EAGAIN')
      await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
    else throw result;
  }
}

const writeOnce = (fd: number, bytes: Buffer, offset: number): Promise<number | NodeJS.ErrnoException> =>
  new Promise((resolve) => {
    write(fd, bytes, offset, bytes.length - offset, null, (error, written) => resolve(error ?? written));
  });
