import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { Intake } from '../intake/index.ts';
import type { Logger } from '../logging/logger.ts';
import { systemHostId, systemTable } from '../processes/index.ts';
import type { Store } from '../store/store.ts';
import { ExecutorHub } from './executor-hub.ts';
import type { RunRecord } from './run-record.ts';

/** Starts the hub with the stored runs. Close it before the HTTP server, which would wait for its long polls. */
export async function startExecutors(parts: {
  readonly engine: Engine;
  readonly intake: Intake;
  readonly store: Store;
  readonly replies: ReplyQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly followRun: (run: RunRecord) => void;
}): Promise<ExecutorHub> {
  const { engine, intake, store, replies, clock, logger, followRun } = parts;
  const onBug = (error: unknown): void => logger.error({ err: error }, 'while looking after a holter run');
  const hub = new ExecutorHub({
    engine,
    intake,
    store,
    clock,
    replies,
    table: systemTable(),
    hostId: systemHostId(),
    onBug,
    presented: followRun,
  });
  await hub.start();
  return hub;
}
