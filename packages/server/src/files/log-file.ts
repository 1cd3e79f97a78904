import { constants, lstatSync, openSync, renameSync } from 'node:fs';

/** Opens a log to append to. One that is no file any more is moved aside. */
export function openLogFile(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) renameSync(path, `${path}.1`);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
}
