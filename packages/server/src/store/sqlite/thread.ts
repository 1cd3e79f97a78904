import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../store.ts';
import type { ConnectionOptions } from './connection.ts';
import type { Reply, Request } from './protocol.ts';

type Waiting = { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void };

/** A worker thread can't run TypeScript, so a source file uses the built worker. */
export const builtFile = (name: string): URL =>
  import.meta.url.endsWith('.ts')
    ? new URL(`../../../dist/store/sqlite/${name}.js`, import.meta.url)
    : new URL(`./${name}.js`, import.meta.url);

/**
 * The main thread's side of the database thread. After the thread ends, the next request starts another, but only
 * once the old one is gone: the file must not be open twice.
 */
export class StoreThread {
  private options: ConnectionOptions;
  private readonly waitingMax: number;
  private readonly copied: (file: string) => void;
  private readonly waiting = new Map<number, Waiting>();
  private worker: Worker | null = null;
  private ending: Promise<void> | null = null;
  private nextId = 1;

  constructor(
    options: ConnectionOptions,
    waitingMax: number,
    copied: (file: string) => void = () => undefined,
  ) {
    this.options = options;
    this.copied = copied;
    this.waitingMax = waitingMax;
  }

  async request(operation: Request['operation'], args: readonly unknown[]): Promise<unknown> {
    if (this.waiting.size >= this.waitingMax && operation !== 'close') {
      const message = `${this.waiting.size} operations wait for the database: it is too slow, or stuck`;
      throw new StoreUnavailable('busy', message);
    }
    while (this.ending !== null) await this.ending;
    return new Promise((resolve, reject) => {
      this.worker ??= this.start();
      const id = this.nextId;
      this.nextId += 1;
      // A value that can't be cloned throws here, before the request is registered.
      this.worker.postMessage(operation === 'close' ? { id, operation } : { id, operation, args });
      this.waiting.set(id, { resolve, reject });
    });
  }

  /** Finishes requests under way. The file is closed when this resolves. */
  async close(): Promise<void> {
    if (this.worker && this.ending === null) {
      const { worker } = this;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      // A fault that ends the thread also closes the file.
      await this.request('close', []).catch(() => undefined);
      await ended;
    }
    await this.ending;
  }

  private start(): Worker {
    // Do not pass on options of the main program, such as `--input-type`.
    const worker = new Worker(builtFile('worker'), { workerData: this.options, execArgv: [] });
    let why: StoreUnavailable | null = null;
    worker.on('message', (reply: Reply) => {
      if (reply.kind === 'copied') return this.copied(reply.file);
      const failure = this.settle(reply);
      if (reply.kind === 'answer' || !reply.isLast) return;
      why = failure;
      this.ending = new Promise((resolve) => worker.once('exit', () => resolve()));
    });
    worker.on('error', (error) => {
      why = new StoreUnavailable('unknown', `the thread of the database has failed: ${error.message}`);
    });
    worker.on('exit', () => {
      this.worker = null;
      this.ending = null;
      const left = [...this.waiting.values()];
      this.waiting.clear();
      for (const { reject } of left) {
        reject(why ?? new StoreUnavailable('unknown', 'the thread of the database has ended'));
      }
    });
    return worker;
  }

  private settle(reply: Exclude<Reply, { kind: 'copied' }>): StoreUnavailable | null {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (reply.kind === 'answer') {
      if (!this.options.isKnown) this.options = knownFrom(this.options);
      waiting?.resolve(reply.answer);
      return null;
    }
    const { fault, message } = reply;
    const failure = fault === null ? null : new StoreUnavailable(fault, message);
    waiting?.reject(failure ?? new Error(message));
    return failure;
  }
}

/** A later thread opens the file that this one has used, and no other that somebody puts there. */
const knownFrom = (options: ConnectionOptions): ConnectionOptions => ({
  ...options,
  isKnown: true,
  seal: options.seal && { ...options.seal, isRestoreAccepted: false },
});
