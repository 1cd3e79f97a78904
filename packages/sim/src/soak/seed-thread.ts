import { Worker } from 'node:worker_threads';
import type { SeedKind, SeedResult } from './run-seed.ts';
import type { SeedRunner } from './soak.ts';

type Wait = { readonly resolve: (result: SeedResult) => void; readonly reject: (error: Error) => void };

/** A runner on a core of its own; without a kind, the seed decides which it is. */
export function seedThread(kind?: SeedKind): SeedRunner {
  const worker = new Worker(new URL('./seed-worker.js', import.meta.url), { workerData: kind });
  let waiting: Wait | null = null;
  const settle = (act: (wait: Wait) => void): void => {
    const wait = waiting;
    waiting = null;
    if (wait !== null) act(wait);
  };
  worker.on('message', (result: SeedResult) => settle(({ resolve }) => resolve(result)));
  worker.on('error', (error) => settle(({ reject }) => reject(error)));
  worker.on('exit', () =>
    settle(({ reject }) => reject(new Error('the thread ended in the middle of a seed'))),
  );
  return {
    run: (seed) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        worker.postMessage(seed);
      }),
    stop: async () => {
      await worker.terminate();
    },
  };
}
