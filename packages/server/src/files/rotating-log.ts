import {
  chmodSync,
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { openLogFile } from './log-file.ts';

export type LogLimits = { readonly bytesMax: number; readonly filesMax: number };

/**
 * A log of bounded size: `server.log`, and the older parts as `server.log.1` to `.N`. A full log is copied and emptied,
 * because the error output of a server in the background goes to the same file. A log that can't be written is not
 * a reason to stop monitoring: its lines are lost.
 */
export class RotatingLog {
  private file: number | null = null;
  private path = '';
  private limits: LogLimits = { bytesMax: Number.POSITIVE_INFINITY, filesMax: 1 };

  open(path: string, limits: LogLimits): void {
    this.close();
    this.path = path;
    this.limits = limits;
    try {
      this.file = openLogFile(path);
    } catch {
      this.file = null;
    }
  }

  setLimits(limits: LogLimits): void {
    this.limits = limits;
  }

  /** Whether this descriptor writes to the same file. */
  isSameAs(descriptor: number): boolean {
    if (this.file === null) return false;
    try {
      const [own, other] = [fstatSync(this.file), fstatSync(descriptor)];
      return own.dev === other.dev && own.ino === other.ino;
    } catch {
      return false;
    }
  }

  write(text: string): void {
    if (this.file === null) return;
    try {
      const { size } = fstatSync(this.file);
      if (size > 0 && size + Buffer.byteLength(text) > this.limits.bytesMax) this.rotate(this.file);
      writeSync(this.file, text);
    } catch {
      // Full disk, or a folder that was taken away.
    }
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  /** The current log counts as one of the files. */
  private rotate(file: number): void {
    const { filesMax } = this.limits;
    const older = (n: number): string => `${this.path}.${n}`;
    if (filesMax > 1) {
      rmSync(older(filesMax - 1), { force: true, recursive: true });
      for (let n = filesMax - 2; n >= 1; n -= 1) renameIfThere(older(n), older(n + 1));
      copyFileSync(this.path, older(1));
      chmodSync(older(1), 0o600);
    }
    ftruncateSync(file, 0);
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
