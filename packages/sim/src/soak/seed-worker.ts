import { parentPort, workerData } from 'node:worker_threads';
import { runSeed, type SeedKind } from './run-seed.ts';

const kind = workerData as SeedKind | undefined;

// The thread's side of a runner: a seed comes in, its result goes out.
parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await runSeed(seed, kind));
});
