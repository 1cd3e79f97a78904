import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The newest version that runs on the oldest Node version that Holter supports. */
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
 * Installs the real Claude Code from the registry into a cache outside the repository and returns its path. If that
 * fails, these tests fail; they are not skipped, because nothing else tests Holter with the real CLI.
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
