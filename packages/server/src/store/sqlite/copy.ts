import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';

/**
 * A consistent copy in one file, readable only by its owner. It is renamed into place once complete and synced, so
 * that a partial copy is never taken for a backup.
 */
export function copyDatabase(database: Database.Database, target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already: choose another name`);
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    database.prepare('vacuum into ?').run([part]);
    chmodSync(part, 0o600);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  flush(part);
  renameSync(part, target);
  flush(dirname(target));
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
