import type { DecidedView } from '@holter/server/local';
import { type Command, InvalidArgumentError } from 'commander';
import { type Connection, type ServerOptions, withServer } from '../client/connection.ts';
import { beforeOrder, type Ordered } from '../client/follow-order.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, painter } from '../terminal/paint.ts';

export type DecisionOptions = ServerOptions & {
  readonly reason: string;
  readonly by?: string;
  readonly json?: boolean;
};

/** What is said of the agent when the server has accepted the decision. */
export type Done = string | ((agent: DecidedView['agent']) => string);

/** Of decisions that have something done to the agent. */
export type OrderOptions = DecisionOptions & { readonly wait: boolean };

export const withWait = (command: Command): Command =>
  command.option('--no-wait', 'do not wait until it has been carried out');

/** Sends a decision, prints that it was accepted, and then how what it ordered went. */
export async function order(
  io: Io,
  options: OrderOptions,
  connection: Connection,
  agentId: string,
  { ordered, send, done }: { ordered: Ordered; send: () => Promise<DecidedView>; done: Done },
): Promise<void> {
  const isFollowed = options.wait && !options.json && ordered.length > 0;
  const follow = isFollowed ? await beforeOrder(connection, agentId) : null;
  tellDecided(io, options, await send(), done);
  await follow?.(io, ordered);
}

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
export function byOf({ env }: Io, { by }: Pick<DecisionOptions, 'by'>): { readonly by?: string } {
  const name = by ?? (env.HOLTER_TOKEN ? undefined : env.USER || env.LOGNAME);
  return name ? { by: name } : {};
}

function tellDecided(io: Io, { json }: DecisionOptions, decided: DecidedView, done: Done): void {
  if (json) {
    io.out(`${JSON.stringify(decided)}\n`);
    return;
  }
  const { agentId, state } = decided.agent;
  const what = typeof done === 'string' ? done : done(decided.agent);
  io.out(`${agentId} ${what} (${painter(io)(colourOfState(state), state)})\n`);
}

export function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 7 * 24 * 60) return value;
  throw new InvalidArgumentError('minutes are a number above 0, and at most a week (10080).');
}
