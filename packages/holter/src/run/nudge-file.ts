import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nudgeLine } from '@holter/server/process';

/**
 * Nudges for a command: one JSON line each, appended to a file whose path is in its environment. A command that has
 * read them empties or removes the file; only that proves that they were seen.
 */
export class NudgeFile {
  readonly path: string;
  private unseen: string[] = [];

  constructor(path: string) {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { mode: 0o600 });
  }

  write(id: string, message: string): void {
    appendFileSync(this.path, nudgeLine(id, message), { mode: 0o600 });
    this.unseen.push(id);
  }

  /** Ids of the nudges that were read since the last check. */
  takeSeen(): readonly string[] {
    if (this.unseen.length === 0 || sizeOf(this.path) > 0) return [];
    return this.unseen.splice(0);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
