import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The newest that runs on the oldest Node that Holter supports. */
const VERSION = '2.1.197';
const LOCK_MS_MAX = 180_000;

const cache = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'holter-e2e',
  `claude-code-${VERSION}`,
);
const program = join(
  cache,
  'node_modules',
  '@anthropic-ai',
  `claude-code-${process.platform}-${process.arch}`,
  'claude',
);

/**
 * The real Claude Code, from the registry into a cache outside the repository; its path. Without it these
 * tests fail, and are not skipped: a watcher that was never tried on the real thing is a guess.
 */
export async function installClaude(): Promise<string> {
  const lock = `${cache}.lock`;
  mkdirSync(cache, { recursive: true });
  for (const giveUpAt = Date.now() + LOCK_MS_MAX; !existsSync(program); ) {
    if (takeLock(lock)) {
      try {
        const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--ignore-scripts'];
        await promisify(execFile)('npm', [...args, `@anthropic-ai/claude-code@${VERSION}`]);
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
    } else if (Date.now() > giveUpAt) throw new Error(`${lock} is held for too long; remove it`);
    else await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return program;
}

/** One of several test files installs, the others wait; a lock that somebody died with is broken. */
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
