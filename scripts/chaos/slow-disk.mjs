// A disk that can be made slow, by a library that is preloaded into PostgreSQL.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Null where there is no C compiler. */
export function slowDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'holter-slow-disk-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const library = join(folder, 'slow-disk.so');
  const source = fileURLToPath(new URL('./slow-disk.c', import.meta.url));
  const made = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']);
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  if (made.status !== 0) {
    dispose();
    return null;
  }
  const file = join(folder, 'milliseconds');
  return {
    env: { LD_PRELOAD: library, HOLTER_SLOW_DISK: file },
    set: (ms) => (ms > 0 ? writeFileSync(file, String(Math.round(ms))) : rmSync(file, { force: true })),
    dispose,
  };
}
