import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Instant } from '@holter/core';

const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * One start per key, whoever tries: a file that must not exist yet is the lock, and it stays. An order that
 * was taken and not carried out is not taken twice; the next attempt of the ladder has a key of its own.
 */
export function takeSpawnKey(folder: string, hashedKey: string, at: Instant, taker: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, hashedKey), `${JSON.stringify({ taker, at })}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  forgetOld(folder, at);
  return true;
}

/** Keys are never given out twice, so that an old file only takes room. */
function forgetOld(folder: string, at: Instant): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      if (at - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
    } catch {
      // Somebody else cleaned up.
    }
  }
}
