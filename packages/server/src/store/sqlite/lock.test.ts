import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instant } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, lockHolder } from './lock.ts';

const built = new URL('../../../dist/store/sqlite/lock.js', import.meta.url).href;

describe('the lock of a data folder', () => {
  let folder = '';
  let file = '';
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holter-lock-'));
    file = join(folder, 'engine.lock');
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Starts a process that takes the lock, reports whether it got it, and waits to be killed. */
  async function rival(): Promise<{ child: ChildProcess; hasLock: boolean }> {
    const script = `
      const { acquireLock } = await import(${JSON.stringify(built)});
      const lock = await acquireLock(${JSON.stringify(file)}, { pid: process.pid, since: 1700000000000 });
      console.log(lock ? 'held' : 'refused');
      setInterval(() => lock, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [said] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
    return { child, hasLock: said.toString().trim() === 'held' };
  }

  it('has one holder at a time, and can be taken again after release', async () => {
    expect(lockHolder(file)).toBeNull();
    const first = await acquireLock(file, { pid: 11, since: instant(5) });
    expect(first).not.toBeNull();
    expect(await acquireLock(file, { pid: 12 })).toBeNull();
    expect(lockHolder(file)).toEqual({ pid: 11, since: 5 });
    expect((await rival()).hasLock).toBe(false);
    first?.release();
    first?.release();
    const second = await acquireLock(file);
    expect(second).not.toBeNull();
    expect(lockHolder(file)).toEqual({ pid: process.pid });
    second?.release();
  });

  it('names its holder, and is released however the holder ends', async () => {
    const { child, hasLock } = await rival();
    expect(hasLock).toBe(true);
    expect(await acquireLock(file)).toBeNull();
    expect(lockHolder(file)).toEqual({ pid: child.pid, since: 1_700_000_000_000 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = await acquireLock(file);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it('reports a missing folder', async () => {
    await expect(acquireLock(join(folder, 'gone', 'engine.lock'))).rejects.toMatchObject({ code: 'missing' });
  });
});
