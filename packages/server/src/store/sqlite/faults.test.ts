import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentOf, at, before, commitOf, committed, taskChanged } from '../contract/kit.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { openSqlite, type SqliteOptions } from './index.ts';

describe('faults of a database file', { timeout: 30_000 }, () => {
  let folder = '';
  let path = '';
  const stores: Store[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holter-faults-'));
    path = join(folder, 'holter.db');
  });

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    rmSync(folder, { recursive: true });
  });

  async function open(options: SqliteOptions = {}): Promise<Store> {
    const store = await openSqlite(path, options);
    stores.push(store);
    return store;
  }

  const faultOf = async (promise: Promise<unknown>): Promise<string> => {
    const error = await promise.then(
      () => new Error('it did not fail'),
      (reason: unknown) => reason,
    );
    if (!(error instanceof StoreUnavailable)) throw error;
    return error.code;
  };

  const token = { id: 't1', hash: 'h', role: 'viewer', agentId: null, group: null } as const;
  const checkpoint = {
    ...{ agentId: 'ada', checkpointId: 'c1', parentId: null, taskId: null, incarnation: 1 },
    ...{ at: at(0), hash: 'h', content: '{}' },
  };

  /** A commit that does not fit in a small database. */
  const heavy = (version: number) =>
    commitOf(agentOf('ada'), version, { events: [taskChanged('ada', at(version), 'x'.repeat(200_000))] });

  it('disk full: the commit is not stored, and pruning makes room again', async () => {
    const store = await open({ sizeMaxBytes: 2_000_000 });
    let version = 0;
    let fault = '';
    for (; fault === ''; version += 1) {
      fault = await faultOf(store.commit([heavy(version)])).catch(() => '');
    }
    expect(fault).toBe('disk_full');
    const stored = version - 1;
    expect(await store.load('ada')).toMatchObject({ version: stored });
    expect(await store.lastCursor()).toBe(stored);
    expect(await faultOf(store.commit([heavy(stored)]))).toBe('disk_full');
    expect(await store.prune(before(99), 3)).toEqual({ pruned: 3, hasMore: true });
    expect(await committed(store, heavy(stored))).toBe(stored + 1);
    expect(await store.check()).toEqual([]);
  });

  it('locked: fails while another process writes, and works afterwards', async () => {
    const store = await open({ busyTimeoutMs: 20 });
    const other = new Database(path);
    other.exec('begin immediate');
    expect(await faultOf(store.commit([commitOf(agentOf('ada'), 0)]))).toBe('locked');
    expect(await store.load('ada')).toBeNull();
    other.exec('rollback');
    other.close();
    expect(await committed(store, commitOf(agentOf('ada'), 0))).toBe(1);
  });

  it.each<[what: string, write: (store: Store) => Promise<unknown>]>([
    ['a value', (store) => store.putMeta('key', 'value')],
    ['a token', (store) => store.putToken({ ...token, createdAt: at(0), revokedAt: null })],
    ['a revocation', (store) => store.revokeToken('t1', at(1))],
    ['a checkpoint', (store) => store.putCheckpoint(checkpoint)],
    ['a released claim', (store) => store.retryEffect('e1', at(1), '')],
  ])('locked for %s: others can be committed afterwards', async (_what, write) => {
    const store = await open({ busyTimeoutMs: 20 });
    const other = new Database(path);
    other.exec('begin immediate');
    expect(await faultOf(write(store))).toBe('locked');
    other.exec('rollback');
    other.close();
    expect(await committed(store, commitOf(agentOf('ada'), 0))).toBe(1);
    await write(store);
  });

  it('locked while opening', async () => {
    await (await open()).close();
    const other = new Database(path);
    other.exec('pragma journal_mode = delete');
    other.exec('begin exclusive');
    expect(await faultOf(open({ busyTimeoutMs: 20 }))).toBe('locked');
    other.close();
    await open();
  });

  it('read-only: refused, until writing is allowed again', async () => {
    const store = await open();
    await committed(store, commitOf(agentOf('ada'), 0));
    await store.close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    expect(faultWithoutRootsRights(path)).toBe('read_only');
    chmodSync(folder, 0o755);
    chmodSync(path, 0o644);
    expect(await (await open()).load('ada')).toMatchObject({ version: 1 });
  });

  it('corrupt: damaged data is not read, the check reports it, and a backup fixes it without a restart', async () => {
    const store = await open();
    const commits = Array.from({ length: 200 }, (_, i) =>
      commitOf(agentOf(`a${i}`), 0, { events: [taskChanged(`a${i}`, at(i), 'x'.repeat(500))] }),
    );
    await store.commit(commits);
    const copy = join(folder, 'copy.db');
    await store.backup(copy);
    await store.close();
    overwrite(path, Math.floor(readFileSync(path).indexOf('"agentId":"a150"') / 4_096), 1);
    const damaged = await open();
    expect(await faultOf(damaged.load('a150'))).toBe('corrupt');
    expect(await damaged.load('a0')).toMatchObject({ version: 1 });
    expect((await damaged.check())[0]).toMatch(/damaged/);
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    renameSync(copy, path);
    // The open file is no longer the one at this path, so nothing may be written to it.
    expect(await faultOf(damaged.load('a150'))).toBe('missing');
    expect(await damaged.load('a150')).toMatchObject({ version: 1 });
    expect(await damaged.check()).toEqual([]);
  });

  it('corrupt from its first pages on: refused', async () => {
    await (await open()).close();
    overwrite(path, 1, 10);
    expect(await faultOf(open())).toBe('corrupt');
  });

  it('not a database: refused, and not replaced', async () => {
    const file = openSync(path, 'w');
    writeSync(file, 'these are the notes of somebody else, not a database\n'.repeat(100));
    closeSync(file);
    expect(await faultOf(open())).toBe('corrupt');
  });

  it('missing: no folder; and a file that disappears and returns needs no restart', async () => {
    expect(await faultOf(openSqlite(join(folder, 'gone', 'holter.db')))).toBe('missing');
    const store = await open();
    await committed(store, commitOf(agentOf('ada'), 0));
    const away = ['', '-wal', '-shm'].filter((suffix) => existsSync(`${path}${suffix}`));
    for (const suffix of away) renameSync(`${path}${suffix}`, `${path}.away${suffix}`);
    expect(await faultOf(store.commit([commitOf(agentOf('ada'), 1)]))).toBe('missing');
    expect(await faultOf(store.load('ada'))).toBe('missing');
    expect(existsSync(path)).toBe(false);
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(`${path}.away${suffix}`)) renameSync(`${path}.away${suffix}`, `${path}${suffix}`);
    }
    expect(await committed(store, commitOf(agentOf('ada'), 1))).toBe(2);
  });

  it('newer: a database of a later Holter is left alone', async () => {
    await (await open()).close();
    const other = new Database(path);
    other.exec("insert into migrations values (999, 'from the future')");
    other.close();
    const failure = await open().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'newer_schema' });
    expect(String(failure)).toContain('update Holter');
  });
});

/**
 * What opening says in a process that file modes bind. They do not bind root, unless it gives that capability up; it
 * stays root, so that it can enter the folder of this repository.
 */
function faultWithoutRootsRights(path: string): string {
  const store = new URL('../../../dist/store/sqlite/index.js', import.meta.url);
  const script = `const { openSqlite } = await import(${JSON.stringify(store.href)});
    const code = await openSqlite(${JSON.stringify(path)}).then(() => 'none', (error) => error.code);
    console.log(code);`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const isRoot = process.getuid?.() === 0;
  const [command = '', ...args] = isRoot ? ['setpriv', '--bounding-set=-dac_override', ...node] : node;
  return execFileSync(command, args, { encoding: 'utf8' }).trim();
}

function overwrite(path: string, firstPage: number, pages: number): void {
  const file = openSync(path, 'r+');
  for (let page = firstPage; page < firstPage + pages; page += 1) {
    writeSync(file, Buffer.alloc(4_000, 0xa5), 0, 4_000, page * 4_096);
  }
  closeSync(file);
}
