import { constants } from 'node:os';
import type { ChildEnd } from '@holter/server/adapters';
import { CliFailure } from '../terminal/failure.ts';

/** As in shells: a signal is 128 plus its number. */
export function exitCodeOf({ code, signal }: ChildEnd): number {
  if (code !== null) return code;
  return 128 + (signal ? (constants.signals[signal] ?? 0) : 0);
}

export function endInWords({ code, signal }: ChildEnd): string {
  if (signal) return `was killed by ${signal}`;
  return code === 0 ? 'finished (exit 0)' : `ended with exit code ${code}`;
}

/** Ends `holter run` before anything was started, with one line and the exit code that shells use. */
export class RunFailure extends CliFailure {
  constructor(exitCode: number, message: string) {
    super(message, null, exitCode);
  }
}

/** The command can't be executed, by the error of the system. */
export function refusalOf(command: string, { code, message }: NodeJS.ErrnoException): RunFailure {
  if (code === 'ENOENT') return new RunFailure(CODE.notFound, `${command}: command not found`);
  const why = code === 'ENOEXEC' ? 'it is not an executable file (no #! line)' : (code ?? message);
  return new RunFailure(CODE.notExecutable, `${command}: can't be executed: ${why}`);
}

/** As `timeout`, `env` and shells use them; the others are the command's own. */
export const CODE = {
  error: 1,
  usage: 2,
  /** Holter stopped the command, and the command itself said 0. */
  terminated: 124,
  /** Holter can't be used, and `--required` was given. */
  unusable: 125,
  notExecutable: 126,
  notFound: 127,
} as const;
