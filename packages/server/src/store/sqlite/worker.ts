import { parentPort, workerData } from 'node:worker_threads';
import type { Arguments } from '../operations.ts';
import { StoreUnavailable } from '../store.ts';
import type { ConnectionOptions } from './connection.ts';
import type { WriterOperation } from './handlers.ts';
import type { Reply, Request } from './protocol.ts';
import { Session } from './session.ts';

/** The database thread: a slow disk never blocks the tick. Handles one request at a time. */
const port = parentPort;
if (!port) throw new Error('worker.ts runs only as a worker thread');

const options = workerData as ConnectionOptions;
const session = new Session(options, (file) => reply({ kind: 'copied', file }));
let last: Promise<void> = Promise.resolve();

port.on('message', (request: Request) => {
  last = last.then(() => serve(request));
});

if (options.seal) {
  const renew = (): void => {
    last = last.then(() => session.renewSeal());
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
