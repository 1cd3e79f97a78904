import type { Behaviour } from './behaviour.ts';
import { braker } from './braker.ts';
import { breakerCaller } from './breaker-caller.ts';
import { burstyThinker } from './bursty-thinker.ts';
import { checkpointFaker } from './checkpoint-faker.ts';
import { corruptCheckpoint } from './corrupt-checkpoint.ts';
import { crasher } from './crasher.ts';
import { curedByNudge } from './cured-by-nudge.ts';
import { deaf } from './deaf.ts';
import { errorSpiral } from './error-spiral.ts';
import { flooder } from './flooder.ts';
import { freezer } from './freezer.ts';
import { holdRenewer } from './hold-renewer.ts';
import { idle } from './idle.ts';
import { inProcess } from './in-process.ts';
import { lastMinute } from './last-minute.ts';
import { lateReader } from './late-reader.ts';
import { longTool } from './long-tool.ts';
import { looper } from './looper.ts';
import { nameTaker } from './name-taker.ts';
import { oddOne } from './odd-one.ts';
import { partitioned } from './partitioned.ts';
import { pausingLooper } from './pausing-looper.ts';
import { quietCommand } from './quiet-command.ts';
import { rateLimited } from './rate-limited.ts';
import { relapser } from './relapser.ts';
import { replayer } from './replayer.ts';
import { returner } from './returner.ts';
import { saysStopped } from './says-stopped.ts';
import { selfRestarter } from './self-restarter.ts';
import { slowStarter } from './slow-starter.ts';
import { spender } from './spender.ts';
import { steadyWorker } from './steady-worker.ts';
import { swapper } from './swapper.ts';
import { twoWithOneName } from './two-with-one-name.ts';
import { visited } from './visited.ts';
import { waitingForInput } from './waiting-for-input.ts';
import { zombie } from './zombie.ts';

/**
 * Who lives in a fleet, per hundred. Most agents are well, as in life, so that a wrong accusation has many
 * chances; every kind of trouble is still common enough to happen many times on a simulated day.
 */
const MIX: readonly (readonly [Behaviour, number])[] = [
  [steadyWorker, 22],
  [burstyThinker, 13],
  [idle, 9],
  [waitingForInput, 6],
  [rateLimited, 4],
  [slowStarter, 4],
  [longTool, 5],
  [crasher, 6],
  [freezer, 3],
  [partitioned, 4],
  [looper, 3],
  [pausingLooper, 2],
  [lastMinute, 1],
  [errorSpiral, 2],
  [zombie, 2],
  [curedByNudge, 3],
  [deaf, 2],
  [relapser, 2],
  [corruptCheckpoint, 2],
  [checkpointFaker, 1.5],
  [selfRestarter, 2],
  [twoWithOneName, 1],
  [swapper, 2],
  [breakerCaller, 2],
  [spender, 1.5],
  [oddOne, 3],
  [visited, 2],
  [lateReader, 2],
  [flooder, 0.5],
  [replayer, 1],
  [quietCommand, 1.5],
  [inProcess, 0.5],
  [saysStopped, 2],
  [nameTaker, 1],
  [holdRenewer, 1.5],
  [returner, 1.5],
  // Alone it does no harm: they come in a siege.
  [braker, 0],
];

const TOTAL = MIX.reduce((sum, [, share]) => sum + share, 0);

export const BEHAVIOURS: readonly Behaviour[] = MIX.map(([behaviour]) => behaviour);

/** The behaviour at a point of the unit line. */
export function drawBehaviour(unit: number): Behaviour {
  let rest = unit * TOTAL;
  for (const [behaviour, share] of MIX) {
    rest -= share;
    if (rest < 0) return behaviour;
  }
  return steadyWorker;
}
