import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Arguments } from '../operations.ts';
import { StoreUnavailable } from '../store.ts';
import type { ConnectionOptions } from './connection.ts';
import type { WriterOperation } from './handlers.ts';
import type { Reply, Request } from './protocol.ts';
import { Session } from './session.ts';

/**
 * The database thread: a slow disk never blocks the tick. Handles one request at a time, in their order; only those
 * that read letters overtake the others, because each write waits for the disk. They depend on no write that has not
 * been answered yet.
 */
const port = parentPort;
if (!port) throw new Error('worker.ts runs only as a worker thread');

const options = workerData as ConnectionOptions;
const session = new Session(options, (file) => reply({ kind: 'copied', file }));
const READS: ReadonlySet<Request['operation']> = new Set([
  'readLetter',
  'listLetters',
  'countLetters',
  'countUnread',
]);
/** So many reads in a row, then one of the others. */
const READS_MAX = 20;
type Work = () => void | Promise<void>;
const reads: Work[] = [];
const others: Work[] = [];
let isAtWork = false;

function add(request: Request): void {
  (READS.has(request.operation) ? reads : others).push(() => serve(request));
}

async function work(): Promise<void> {
  if (isAtWork) return;
  isAtWork = true;
  for (let readsInRow = 0; reads.length + others.length > 0; ) {
    const isRead = reads.length > 0 && (readsInRow < READS_MAX || others.length === 0);
    readsInRow = isRead ? readsInRow + 1 : 0;
    await (isRead ? reads : others).shift()?.();
    // What has come meanwhile; the event loop does not turn while there is work.
    for (let next = receive(); next !== null; next = receive()) add(next);
  }
  isAtWork = false;
}

function receive(): Request | null {
  const received = port && receiveMessageOnPort(port);
  return received ? (received.message as Request) : null;
}

port.on('message', (request: Request) => {
  add(request);
  void work();
});

if (options.seal) {
  const renew = (): void => {
    others.push(() => session.renewSeal());
    void work();
  };
  setInterval(renew, options.seal.everyMs).unref();
}

async function serve(request: Request): Promise<void> {
  if (request.operation === 'close') {
    session.close();
    reply({ id: request.id, kind: 'answer', answer: undefined });
    port?.close();
    return;
  }
  try {
    const args = request.args as Arguments<WriterOperation>;
    reply({ id: request.id, kind: 'answer', answer: await session.perform(request.operation, args) });
  } catch (error) {
    const fault = error instanceof StoreUnavailable ? error.code : null;
    const message = error instanceof Error ? error.message : String(error);
    reply({ id: request.id, kind: 'failure', fault, message, isLast: session.isLost });
    if (session.isLost) {
      session.close();
      port?.close();
    }
  }
}

function reply(message: Reply): void {
  port?.postMessage(message);
}
