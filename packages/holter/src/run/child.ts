import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ChildEnd } from '@holter/server/adapters';
import {
  type Clock,
  identityOf,
  openOutputPipe,
  type ProcessIdentity,
  type ProcessTable,
  ProcessTree,
  TreeSensor,
} from '@holter/server/process';
import { refusalOf } from './end.ts';
import { passThrough } from './pass-through.ts';

type ChildOptions = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly runId: string;
  readonly terminal: Terminal;
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Gets the output of the child before it is passed on, if it passes through this process. */
  readonly printed: (bytes: Buffer, fd: number) => void;
};

/** Which of the three streams are terminals; with any of them the child stays in this process group and session. */
export type Terminal = { readonly input: boolean; readonly output: boolean; readonly error: boolean };

export const hasTerminal = ({ input, output, error }: Terminal): boolean => input || output || error;

/** One start of the command. */
export class Child {
  readonly identity: ProcessIdentity;
  readonly tree: ProcessTree;
  readonly sensor: TreeSensor;
  /** Resolves when its process has ended, even if its children still run. */
  readonly ended: Promise<ChildEnd>;
  /** Bytes of its output that passed through this process. */
  outputBytes = 0;
  hasOpenLine = false;
  end: ChildEnd | null = null;
  private readonly process: ChildProcess;
  private readonly drained: Promise<unknown>;

  private constructor(
    process: ChildProcess,
    identity: ProcessIdentity,
    [stdout, stderr]: readonly [Readable | null, Readable | null],
    options: ChildOptions,
  ) {
    this.process = process;
    this.identity = identity;
    this.tree = new ProcessTree(options.table, identity, options.runId);
    this.sensor = new TreeSensor(options.table, this.tree);
    this.ended = new Promise((resolve) => {
      process.once('exit', (code, signal) => {
        this.end = { code, signal };
        resolve(this.end);
      });
    });
    this.drained = Promise.allSettled([this.pass(stdout, 1, options), this.pass(stderr, 2, options)]);
  }

  /** Throws a `RunFailure` with the exit code that shells use when the system cannot execute it. */
  static start(options: ChildOptions): Promise<Child> {
    const { argv, env, terminal, table } = options;
    const [command = '', ...args] = argv;
    return new Promise((resolve, reject) => {
      let child: ChildProcess;
      const pipes = [terminal.output, terminal.error].map((isTerminal) =>
        isTerminal ? null : openOutputPipe(),
      );
      const [out, err] = pipes;
      try {
        child = spawn(command, args, {
          env,
          // Without a terminal it gets its own session, so that no Ctrl-C reaches it.
          detached: !hasTerminal(terminal),
          stdio: [
            'inherit',
            terminal.output ? 'inherit' : (out?.fd ?? 'pipe'),
            terminal.error ? 'inherit' : (err?.fd ?? 'pipe'),
          ],
        });
      } catch (error) {
        return reject(refusalOf(command, error as NodeJS.ErrnoException));
      } finally {
        // The child has its own copies; ours would keep the pipes open after its end.
        for (const pipe of pipes) if (pipe) closeSync(pipe.fd);
      }
      child.once('error', (error: NodeJS.ErrnoException) => reject(refusalOf(command, error)));
      child.once('spawn', () => {
        const pid = child.pid ?? 0;
        // A child that has already ended stays in the process table until its exit code is read.
        const row = table.row(pid);
        const identity = row ? identityOf(table, row) : { bootId: table.bootId, pid, startedAt: 'unknown' };
        resolve(
          new Child(child, identity, [out?.stream ?? child.stdout, err?.stream ?? child.stderr], options),
        );
      });
    });
  }

  get isRunning(): boolean {
    return this.end === null;
  }

  /** Passes a signal on to the command itself, not to its children. */
  signal(signal: NodeJS.Signals): void {
    if (this.end === null) this.process.kill(signal);
  }

  /** Waits until its output has been passed on, at most this long if grandchildren hold it open. */
  async drain(clock: Clock, msMax: number): Promise<void> {
    let cancel: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = clock.after(msMax, resolve);
    });
    await Promise.race([this.drained, timeout]);
    cancel();
  }

  private pass(from: Readable | null, fd: number, { clock, printed }: ChildOptions): Promise<void> {
    if (!from) return Promise.resolve();
    return passThrough(from, fd, clock, (bytes) => {
      this.outputBytes += bytes.length;
      if (fd === 1) this.hasOpenLine = bytes[bytes.length - 1] !== 10;
      printed(bytes, fd);
    });
  }
}
