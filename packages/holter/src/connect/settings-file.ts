import { mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { copySettingsFile, giveTo, readSettingsFile, writeSettingsFile } from '@holter/server/process';
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

/** Keeps the file as it is, with its mode and owner, to be given back by `restoreSettings`. */
export function keepSettings(path: string): void {
  copySettingsFile(targetOf(path), backupOf(path));
}

/** Gives back what was kept. */
export function restoreSettings(path: string): void {
  copySettingsFile(backupOf(path), targetOf(path));
  rmSync(backupOf(path), { force: true });
}

/** Replaces the text of a file for its owner alone, because it may hold a token. Follows a link; null removes it. */
export function writeSettings(path: string, text: string | null): void {
  const target = targetOf(path);
  if (text === null) return rmSync(target, { force: true });
  mkdirSync(dirname(target), { recursive: true });
  const before = statSync(target, { throwIfNoEntry: false });
  writeSettingsFile(target, text);
  if (before) giveTo(target, before);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
