import { closeSync, openSync } from 'node:fs';

/** What a command may use of the process around it, so that commands themselves touch no globals. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Whether a person reads stderr, where the log goes. */
  readonly isLogTerminal: boolean;
  /** Columns of the terminal; a pipe has no width, and gets lines as long as they are. */
  readonly width: number;
  /** The exit code of a command that ran well but found something wrong. */
  readonly setExitCode: (code: number) => void;
  /** Calls back on Ctrl-C or a polite request to stop; returns how to stop listening. */
  readonly onStop: (callback: (signal: string) => void) => () => void;
  /** Calls back on SIGHUP; a terminal that was closed sends it too, and means something else. */
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
    // https://no-color.org: present and not empty, whatever its value.
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
