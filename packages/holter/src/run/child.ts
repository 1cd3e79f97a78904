import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ChildEnd } from '@holter/server/adapters';
import {
  type Clock,
  identityOf,
  type ProcessIdentity,
  type ProcessTable,
  ProcessTree,
  TreeSensor,
} from '@holter/server/process';
import { CODE, RunFailure } from './end.ts';
import { passThrough } from './pass-through.ts';

type ChildOptions = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly runId: string;
  readonly terminal: Terminal;
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** What it prints, where it passes through here; called before it is passed on. */
  readonly printed: (bytes: Buffer) => void;
};

/** Which of the three streams are a terminal; with any of them the child stays in our group and session. */
export type Terminal = { readonly input: boolean; readonly output: boolean; readonly error: boolean };

export const hasTerminal = ({ input, output, error }: Terminal): boolean => input || output || error;

/** One start of the command. */
export class Child {
  readonly identity: ProcessIdentity;
  readonly tree: ProcessTree;
  readonly sensor: TreeSensor;
  /** Resolves when its process has ended, whatever its children do. */
  readonly ended: Promise<ChildEnd>;
  /** Bytes that it printed, as far as they pass through here. */
  outputBytes = 0;
  hasOpenLine = false;
  end: ChildEnd | null = null;
  private readonly process: ChildProcess;
  private readonly drained: Promise<unknown>;

  private constructor(process: ChildProcess, identity: ProcessIdentity, options: ChildOptions) {
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
    const { stdout, stderr } = process;
    this.drained = Promise.allSettled([this.pass(stdout, 1, options), this.pass(stderr, 2, options)]);
  }

  /** Throws a `RunFailure` with the code of the shells when the system refuses to execute it. */
  static start(options: ChildOptions): Promise<Child> {
    const { argv, env, terminal, table } = options;
    const [command = '', ...args] = argv;
    return new Promise((resolve, reject) => {
      let child: ChildProcess;
      try {
        child = spawn(command, args, {
          env,
          // Without a terminal it gets a session of its own: nobody's Ctrl-C is meant for it.
          detached: !hasTerminal(terminal),
          stdio: ['inherit', terminal.output ? 'inherit' : 'pipe', terminal.error ? 'inherit' : 'pipe'],
        });
      } catch (error) {
        return reject(refusalOf(command, error as NodeJS.ErrnoException));
      }
      child.once('error', (error: NodeJS.ErrnoException) => reject(refusalOf(command, error)));
      child.once('spawn', () => {
        const pid = child.pid ?? 0;
        // Even one that has ended already is there until we have read its exit code.
        const row = table.row(pid);
        const identity = row ? identityOf(table, row) : { bootId: table.bootId, pid, startedAt: 'unknown' };
        resolve(new Child(child, identity, options));
      });
    });
  }

  get isRunning(): boolean {
    return this.end === null;
  }

  /** Passes a signal on to the command itself; what it does about its children is its business. */
  signal(signal: NodeJS.Signals): void {
    if (this.end === null) this.process.kill(signal);
  }

  /** Until its output has been passed on; children that hold it open are waited for this long. */
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
      if (fd !== 1) return;
      this.hasOpenLine = bytes[bytes.length - 1] !== 10;
      printed(bytes);
    });
  }
}

function refusalOf(command: string, { code, message }: NodeJS.ErrnoException): RunFailure {
  if (code === 'ENOENT') return new RunFailure(CODE.notFound, `${command}: command not found`);
  const why = code === 'ENOEXEC' ? 'it is no program, and has no #! line' : (code ?? message);
  return new RunFailure(CODE.notExecutable, `${command}: can't be executed: ${why}`);
}
