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
  return code === 0 ? 'ended well' : `ended with exit code ${code}`;
}

/** Ends `holter run` before anything was started, with one line and the exit code that shells use. */
export class RunFailure extends CliFailure {
  constructor(exitCode: number, message: string) {
    super(message, null, exitCode);
  }
}

export const CODE = { error: 1, usage: 2, notExecutable: 126, notFound: 127 } as const;
