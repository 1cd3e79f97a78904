import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../store.ts';
import type { ConnectionOptions } from './connection.ts';
import type { Reply, Request } from './protocol.ts';

type Waiting = { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void };

/** TypeScript does not run in a thread of its own: beside a source file, the built one is taken. */
export const builtFile = (name: string): URL =>
  import.meta.url.endsWith('.ts')
    ? new URL(`../../../dist/store/sqlite/${name}.js`, import.meta.url)
    : new URL(`./${name}.js`, import.meta.url);

/**
 * The main thread's end of the line. A thread that has ended is followed by another with the next request,
 * but never before it is gone: two openings of one file must not overlap.
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
      // What can't be copied to the other thread throws here, before anybody waits for it.
      this.worker.postMessage(operation === 'close' ? { id, operation } : { id, operation, args });
      this.waiting.set(id, { resolve, reject });
    });
  }

  /** After what is under way; the file is closed when this returns. */
  async close(): Promise<void> {
    if (this.worker && this.ending === null) {
      const { worker } = this;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      // A fault that ends the thread first is as good.
      await this.request('close', []).catch(() => undefined);
      await ended;
    }
    await this.ending;
  }

  private start(): Worker {
    // Options of the main program, such as `--input-type`, are not meant for the thread.
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
      if (!this.options.isKnown) this.options = { ...this.options, isKnown: true };
      waiting?.resolve(reply.answer);
      return null;
    }
    const { fault, message } = reply;
    const failure = fault === null ? null : new StoreUnavailable(fault, message);
    waiting?.reject(failure ?? new Error(message));
    return failure;
  }
}
