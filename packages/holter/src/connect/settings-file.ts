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
 * Keeps the text that the file has without Holter, then replaces the file. Follows a symbolic link. Only the owner
 * may read either, since they may contain tokens. Null removes a file.
 */
export function writeSettings(path: string, withoutHolter: string | null, text: string | null): void {
  const target = targetOf(path);
  mkdirSync(dirname(target), { recursive: true });
  replace(backupOf(path), withoutHolter);
  replace(target, text);
}

function replace(path: string, text: string | null): void {
  if (text === null) rmSync(path, { force: true });
  else writeSettingsFile(path, text);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
