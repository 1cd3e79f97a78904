/**
 * What a program beside the server needs: processes, the data folder, the clock. It loads nothing from npm, so
 * that a `holter run` per agent stays small.
 */

export { findConfigFile } from './config/files.ts';
export { DataFolder, dataFolderPath, type FirstRole } from './data-folder.ts';
export type { Clock } from './engine/clock.ts';
export { NudgeFile } from './executors/nudge-file.ts';
export type { OnLost, RunRecord } from './executors/run-record.ts';
export * from './files/index.ts';
export { parseDuration } from './policy/units.ts';
export * from './processes/index.ts';
export { openOutputPipe } from './processes/output-pipe.ts';
export { realClock, realDice, wallNow } from './real-clock.ts';
