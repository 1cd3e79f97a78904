import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { instant } from '@holter/core';
import { wallNow } from '@holter/server/process';
import type { BootStatus } from '../../packages/holter/src/boot/status-file.ts';
import { runTriage } from '../../packages/holter/src/boot/triage-run.ts';
import { findServer } from '../../packages/holter/src/client/connection.ts';
import { actOn } from '../../packages/holter/src/commands/boot.ts';
import { standInForDaemon } from '../../packages/holter/src/daemon/alone.ts';
import { type Chain, openChain, selfIn } from '../../packages/holter/src/deacon/context.ts';
import type { Io } from '../../packages/holter/src/terminal/io.ts';
import { ChainMail } from '../../packages/holter/src/town/chain-mail.ts';
import { downByOf } from '../../packages/holter/src/town/daemon-state.ts';
import { bin, World } from '../run/kit.ts';

/** A town with a tmux server of its own, whose time is injected. */
export class TestTown {
  readonly socket: string;
  readonly world: World;
  readonly path: string;
  /** So much later than it is; may be set back. */
  laterMs = 0;
  /** The clock of the daemon's records, which is never set back. */
  private passedMs = 0;
  private readonly chains: Chain[] = [];

  /** `agents` is the setting `town.agents`. */
  constructor(name: string, agents: string) {
    this.socket = `holter-${name}-${process.pid}`;
    this.world = new World(`town: { socket: ${this.socket}, agents: ${agents} }\n`);
    this.path = this.world.path('gt');
  }

  later(ms: number): void {
    this.laterMs += ms;
    this.passedMs += ms;
  }

  tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: this.world.env,
    }).trimEnd();
  }

  io(env: Io['env'] = this.world.env): Io {
    return {
      out: () => undefined,
      err: () => undefined,
      env,
      workingDirectory: this.world.folder,
      isTerminal: false,
      hasColour: false,
      isLogTerminal: false,
      width: 100,
      setExitCode: () => undefined,
      onStop: () => () => undefined,
      onHangup: () => undefined,
    };
  }

  async chain(env?: Io['env']): Promise<Chain> {
    const chain = await openChain(this.io(env), { town: this.path });
    this.chains.push(chain);
    // The sources know no built file of themselves.
    const built = (words: readonly string[]) => words.map((word) => (word.endsWith('/main.js') ? bin : word));
    const members = new Map([...chain.members].map(([name, words]) => [name, built(words)]));
    const clock = { ...chain.clock, now: () => instant(chain.clock.now() + this.passedMs) };
    return { ...chain, clock, command: built(chain.command), members, now: () => wallNow() + this.laterMs };
  }

  /** A search path without tmux. */
  pathWithoutTmux(): string {
    const path = this.world.path('no-tmux');
    mkdirSync(path);
    for (const program of ['env', 'sleep', 'sh']) symlinkSync(`/usr/bin/${program}`, join(path, program));
    return path;
  }

  mail(): ChainMail {
    return new ChainMail(() => findServer(this.io(), {}, 'operator'));
  }

  /** As `holter boot triage`, with `--act` where no daemon runs. */
  async triage(chain: Chain, mayAct = true, isHeld = false): Promise<BootStatus> {
    const [mail, self] = [this.mail(), selfIn(chain.table)];
    const alone = mayAct ? await standInForDaemon(chain, mail) : null;
    try {
      const downBy = alone ? alone.downBy : await downByOf(chain.town, chain.now, 'deacon');
      const status = await runTriage({ ...chain, mail, self, downBy, isHeld, advise: null });
      return mayAct ? await actOn(chain, status, alone, self) : status;
    } finally {
      await alone?.close();
    }
  }

  async box(name: string): Promise<readonly { readonly from: string; readonly subject: string }[]> {
    return JSON.parse((await this.world.holter('mail', 'list', '--box', name, '--json')).out);
  }

  /** Ends the sessions of these names, and what the town has started. */
  async close(...sessions: readonly string[]): Promise<void> {
    for (const each of this.chains) each.close();
    for (const name of sessions)
      try {
        this.tmux('kill-session', '-t', `=${name}`);
      } catch {
        // It has ended with its process.
      }
    await this.world.close();
  }
}
