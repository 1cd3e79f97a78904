import { type ChildProcess, spawn } from 'node:child_process';
import {
  findProcess,
  identityOf,
  isAlive,
  type ProcessIdentity,
  type ProcessRow,
} from '@holter/server/process';
import type { Chain } from '../deacon/context.ts';
import { mainFile } from '../package/main-file.ts';
import type { Hand } from './daemon.ts';
import { knownProcess, unknownLook } from './server-link.ts';

type Run = { readonly child: ChildProcess; readonly identity: ProcessIdentity | null };

/** Boot's triage: a child of the daemon, fresh each time. How it ended is known, so its end is proven. */
export class BootHand implements Hand {
  private readonly chain: Chain;
  private readonly options: readonly string[];
  private run: Run | null = null;

  /** `options` are passed on to `holter boot triage`. */
  constructor(chain: Chain, options: readonly string[]) {
    this.chain = chain;
    this.options = options;
  }

  get isRunning(): boolean {
    return this.run !== null && this.run.child.exitCode === null && this.run.child.signalCode === null;
  }

  look: Hand['look'] = async (before) => {
    const { clock } = this.chain;
    const at = clock.now();
    if (this.run?.identity && !this.isRunning) {
      const process = JSON.stringify(this.run.identity);
      const state = this.run.child.exitCode === 0 ? 'ended' : 'gone';
      return { at, process, state, cpuMs: null, tick: null };
    }
    const known = this.run?.identity ?? knownProcess(before);
    const row = known && this.findBoot(known);
    // One that an earlier daemon has started: how it ended is not known.
    if (!known || !row || row.state === 'zombie') return { ...unknownLook(at, before), state: 'ended' };
    const state = row.state === 'stopped' ? 'stopped' : 'running';
    return { at, process: JSON.stringify(known), state, cpuMs: row.cpuMs, tick: null };
  };

  stop: Hand['stop'] = async (process) => {
    const { table, clock } = this.chain;
    const identity = JSON.parse(process) as ProcessIdentity;
    const row = this.findBoot(identity);
    if (!row) return isAlive(table, identity) ? `process ${identity.pid} is not a triage of this town` : null;
    globalThis.process.kill(row.pid, 'SIGKILL');
    for (let looks = 0; looks < LOOKS_MAX && isAlive(table, identity); looks++)
      await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    return isAlive(table, identity) ? `process ${identity.pid} does not end` : null;
  };

  start: Hand['start'] = async () => {
    const { table } = this.chain;
    const args = [mainFile, ...this.words, ...this.options];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    const row = child.pid === undefined ? null : table.row(child.pid);
    this.run = { child, identity: row && identityOf(table, row) };
    return undefined;
  };

  private get words(): readonly string[] {
    const { town, settings } = this.chain;
    return ['boot', 'triage', `--session=${settings.bootSession}`, '--town', town.path];
  }

  /** Its own child, or one of an earlier daemon: what is only written down to be Boot must also have been called so. */
  private findBoot(identity: ProcessIdentity): ProcessRow | null {
    const { table } = this.chain;
    const row = findProcess(table, identity);
    if (!row || isSame(this.run?.identity, identity)) return row;
    // The interpreter and the file come first, and may have been updated since.
    const called = table.argv(row.pid)?.slice(2) ?? [];
    return this.words.every((word, n) => called[n] === word) ? row : null;
  }
}

const isSame = (one: ProcessIdentity | null | undefined, other: ProcessIdentity): boolean =>
  one?.pid === other.pid && one.startedAt === other.startedAt && one.bootId === other.bootId;

const LOOK_EVERY_MS = 50;
const LOOKS_MAX = 100;
