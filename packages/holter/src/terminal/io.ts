import { closeSync, openSync } from 'node:fs';

/** What a command may use of its process, so that commands do not use globals. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Whether a person reads stderr, where the log goes. */
  readonly isLogTerminal: boolean;
  /** Columns of the terminal; infinite for a pipe, whose lines are not cut. */
  readonly width: number;
  /** Sets the exit code of a command that succeeded but found a problem. */
  readonly setExitCode: (code: number) => void;
  /** Calls back on SIGINT or SIGTERM; returns a function that stops listening. */
  readonly onStop: (callback: (signal: string) => void) => () => void;
  /** Calls back on SIGHUP and tells whether it was sent because the terminal was closed. */
  readonly onHangup: (callback: (isTerminalGone: boolean) => void) => void;
};

export function processIo(): Io {
  const { stdout, stderr, env } = process;
  const isTerminal = stdout.isTTY === true;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    env,
    workingDirectory: process.cwd(),
    isTerminal,
    // https://no-color.org: any value that is not empty.
    hasColour: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    isLogTerminal: stderr.isTTY === true,
    width: isTerminal ? Math.max(40, stdout.columns ?? 80) : Number.POSITIVE_INFINITY,
    setExitCode: (code) => {
      process.exitCode = code;
    },
    onStop: (callback) => {
      process.on('SIGINT', callback);
      process.on('SIGTERM', callback);
      return () => {
        process.off('SIGINT', callback);
        process.off('SIGTERM', callback);
      };
    },
    onHangup: (callback) => void process.on('SIGHUP', () => callback(process.stdin.isTTY && !hasTerminal())),
  };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
