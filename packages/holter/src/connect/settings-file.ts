import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CliFailure } from '../terminal/failure.ts';

/** The text of a settings file; null when there is no such file. */
export function readSettings(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CliFailure(`${path} can't be read: ${(error as NodeJS.ErrnoException).code}`);
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
  if (before !== null) {
    copyFileSync(target, backupOf(path));
    chmodSync(backupOf(path), 0o600);
  }
  if (text === null) return rmSync(target, { force: true });
  const draft = `${target}.holter-${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, target);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
