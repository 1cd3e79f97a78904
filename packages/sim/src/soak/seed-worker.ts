import { parentPort } from 'node:worker_threads';
import { runSeed } from './run-seed.ts';

// The thread's side of a runner: a seed comes in, its result goes out.
parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await runSeed(seed));
});
