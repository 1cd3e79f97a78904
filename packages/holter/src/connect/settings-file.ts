import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSettingsFile, writeSettingsFile } from '@holter/server/process';
import { CliFailure } from '../terminal/failure.ts';

/** The text of a settings file; null when there is no such file. */
export function readSettings(path: string): string | null {
  try {
    return readSettingsFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliFailure(`${path} can't be read: ${code ?? message}`);
  }
}

export const backupOf = (path: string): string => `${path}.before-holter`;

/**
 * Keeps a copy of the old file, then replaces the file atomically. Follows a symbolic link. Only the owner may read
 * the new file, since it may contain a token. Null removes the file.
 */
export function writeSettings(path: string, before: string | null, text: string | null): void {
  const target = targetOf(path);
  mkdirSync(dirname(target), { recursive: true });
  if (before !== null) writeSettingsFile(backupOf(path), before);
  if (text === null) return rmSync(target, { force: true });
  writeSettingsFile(target, text);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
