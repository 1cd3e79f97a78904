import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { RotatingLog } from '@holter/server/process';

const LIMITS = { bytesMax: 1_000_000, filesMax: 3 };

/** `daemon/daemon.log`: one line for each thing that happened, none for what goes on. */
export class DaemonLog {
  private readonly log = new RotatingLog();
  private readonly now: () => number;
  private last = '';

  constructor(path: string, now: () => number) {
    this.now = now;
    mkdirSync(dirname(path), { recursive: true });
    this.log.open(path, LIMITS);
  }

  /** The same line again and again says nothing new. */
  say(line: string): void {
    if (line === this.last) return;
    this.last = line;
    this.log.write(`${new Date(this.now()).toISOString()} ${line}\n`);
  }

  close(): void {
    this.log.close();
  }
}
