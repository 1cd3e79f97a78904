/** Files that agents and users can replace. */
export * from './agent-file.ts';
export { FileFaults, faultSignal } from './file-faults.ts';
export { openLogFile } from './log-file.ts';
export { type LogLimits, RotatingLog } from './rotating-log.ts';
export { copySettingsFile, giveTo, readSettingsFile, writeSettingsFile } from './settings-file.ts';
