import type { Client } from '@holter/server/local';
import type { Io } from '../terminal/io.ts';
import { clientOf, inWords } from './ask.ts';
import type { Connection } from './connection.ts';

const RECONNECT_MS = 1_000;

type Open<T> = (client: Client, more: NonNullable<Parameters<Client['follow']>[1]>) => AsyncGenerator<T>;

/** Prints what a stream tells until Ctrl-C. */
export async function printUntilStopped<T>(
  io: Io,
  connection: Connection,
  open: Open<T>,
  tell: (item: T) => void,
): Promise<void> {
  const stop = new AbortController();
  io.onStop(() => stop.abort());
  // The server may be restarting. What happens meanwhile is printed afterwards, without a gap.
  const onBreak = (): void => io.err('connection lost; reconnecting…\n');
  try {
    const stream = open(clientOf(connection), { signal: stop.signal, onBreak, retryMs: RECONNECT_MS });
    for await (const item of stream) tell(item);
  } catch (error) {
    throw inWords(error, connection);
  }
}
