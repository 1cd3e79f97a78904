import type { DecidedView } from '@holter/server/local';
import { type Command, InvalidArgumentError } from 'commander';
import { type ServerOptions, withServer } from '../client/connection.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, painter } from '../terminal/paint.ts';

export type DecisionOptions = ServerOptions & {
  readonly reason: string;
  readonly by?: string;
  readonly json?: boolean;
};

/** The options that every decision has: the server keeps who made it and why. */
export function withDecisionOptions(command: Command): Command {
  return withServer(
    command
      .requiredOption('--reason <text>', 'why; it is kept in the audit trail')
      .option('--by <name>', 'who decides (default: the name of the token, else the user of this terminal)')
      .option('--json', 'print JSON'),
  );
}

/** A token that the user was given may carry a name; the one of the data folder has none. */
export function byOf({ env }: Io, { by }: DecisionOptions): { readonly by?: string } {
  const name = by ?? (env.HOLTER_TOKEN ? undefined : env.USER || env.LOGNAME);
  return name ? { by: name } : {};
}

export function tellDecided(io: Io, { json }: DecisionOptions, decided: DecidedView, done: string): void {
  if (json) {
    io.out(`${JSON.stringify(decided)}\n`);
    return;
  }
  const { agentId, state } = decided.agent;
  io.out(`${agentId} ${done} (${painter(io)(colourOfState(state), state)})\n`);
}

export function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 7 * 24 * 60) return value;
  throw new InvalidArgumentError('minutes are a number above 0, and at most a week (10080).');
}
