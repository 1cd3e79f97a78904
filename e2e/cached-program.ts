import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LOCK_MS_MAX = 180_000;

/**
 * Installs a real program from the registry into a cache outside the repository and returns its path. If that fails,
 * its tests fail; they are not skipped, because nothing else tests Holter with it.
 */
export async function cachedProgram(name: string, version: string, program: string): Promise<string> {
  const cacheHome = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const cache = join(cacheHome, 'holter-e2e', `${name.replace(/^.*\//, '')}-${version}`);
  const path = join(cache, 'node_modules', program);
  const lock = `${cache}.lock`;
  mkdirSync(cache, { recursive: true });
  for (const giveUpAt = Date.now() + LOCK_MS_MAX; !existsSync(path); ) {
    if (takeLock(lock)) {
      try {
        const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts'];
        await promisify(execFile)('npm', [...args, `${name}@${version}`]);
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
    } else if (Date.now() > giveUpAt) throw new Error(`${lock} is held for too long; remove it`);
    else await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return path;
}

/** One of several test files installs, the others wait. The lock of a process that died is removed. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > LOCK_MS_MAX)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
