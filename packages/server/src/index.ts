/** The shell around the rules. */

export { conditionsAt } from './alerts/index.ts';
export * from './config/index.ts';
export { forgetEcosEdits, readEcosEdits } from './ecos/index.ts';
export type { Clock } from './engine/clock.ts';
export { continuedClock } from './engine/continued-clock.ts';
export { Engine } from './engine/engine.ts';
export { EngineBusy, type EngineHealth } from './engine/engine-options.ts';
export { type ActResult, AGENT_EFFECTS, type Executor } from './engine/executor.ts';
export { ReplyQueue } from './engine/reply-queue.ts';
export type { Answer } from './engine/request.ts';
export { RotatingLog } from './files/index.ts';
export { EventStream } from './http/event-stream.ts';
export { Intake } from './intake/index.ts';
export * from './local/index.ts';
export { createLogger, type Logger } from './logging/logger.ts';
export { PostOffice, startPinger } from './post/index.ts';
export {
  type DemoParts,
  type DemoWorld,
  type RunningServer,
  type ServerOptions,
  startServer,
} from './server.ts';
export { StartError } from './start-error.ts';
export { type MemorySnapshot, type MemoryStore, openMemory } from './store/memory/index.ts';
export { openPostgres } from './store/postgres/index.ts';
export { inspectPostgres } from './store/postgres/inspect.ts';
export { openSqlite } from './store/sqlite/index.ts';
export { acquireLock, lockHolder } from './store/sqlite/lock.ts';
export { sealFault } from './store/sqlite/seal.ts';
export type * from './store/store.ts';
export { StoreUnavailable } from './store/store.ts';
