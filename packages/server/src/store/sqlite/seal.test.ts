import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/until.ts';
import { agentOf, at, before, commitOf, committed, taskChanged } from '../contract/kit.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { openSqlite } from './index.ts';
import { Seal, sealFault } from './seal.ts';

describe('a sealed database', { timeout: 90_000 }, () => {
  let folder = '';
  let path = '';
  const stores: Store[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holter-seal-'));
    path = join(folder, 'holter.db');
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    rmSync(folder, { recursive: true });
  });

  async function open(isRestoreAccepted = false, everyMs = 20): Promise<Store> {
    const store = await openSqlite(path, { seal: { isRestoreAccepted, everyMs } });
    stores.push(store);
    return store;
  }
  const faultOf = async (promise: Promise<unknown>): Promise<string> => {
    const error = await promise.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (error === null) return 'none';
    if (!(error instanceof StoreUnavailable)) throw error;
    return `${error.code}: ${error.message}`;
  };
  const generation = (file = path): number => readFileSync(file).readInt32BE(60);
  /** A store with events, more than one page of them. */
  async function filled(): Promise<Store> {
    const store = await open();
    const events = Array.from({ length: 40 }, (_, n) => taskChanged('ada', at(n), 'x'.repeat(2_000)));
    await committed(store, commitOf(agentOf('ada'), 0, { events }));
    return store;
  }
  const sealedAgain = async (): Promise<void> => {
    // Twice: the first may have begun before, and then a copy that was made meanwhile has its generation too.
    for (let times = 0; times < 2; times += 1) {
      const before = generation();
      await until('it is sealed again', () => generation() > before, 30_000);
    }
  };
  /** Writes all bytes of a copy into the file that is there, as `cp` does. */
  const overwrite = (copy: string): void => {
    const bytes = readFileSync(copy);
    writeFileSync(path, bytes, { flag: 'r+' });
    truncateSync(path, bytes.length);
  };

  it('stays locked: another process that opens and closes the database leaves its log alone', async () => {
    const store = await open(false, 60_000);
    await committed(store, commitOf(agentOf('ada'), 0));
    const { ino } = statSync(`${path}-wal`);
    const libsql = createRequire(import.meta.url).resolve('libsql');
    const script = `const database = new (require(${JSON.stringify(libsql)}))(${JSON.stringify(path)});
      database.prepare('select count(*) from agents').all([]);
      database.close();`;
    execFileSync(process.execPath, ['-e', script]);
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.ino).toBe(ino);
    expect(await committed(store, commitOf(agentOf('bob'), 0))).toBe(1);
  });

  it('starts again and again, after a stop and after a crash', async () => {
    for (let round = 0; round < 3; round += 1) await (await open()).close();
    await filled();
    const crashed = mkdtempSync(join(tmpdir(), 'holter-crashed-'));
    // As a crash leaves them: the log is not merged, and the seal may be one generation behind.
    const seal = readFileSync(`${path}.seal`);
    await sealedAgain();
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, join(crashed, `holter.db${suffix}`));
    writeFileSync(join(crashed, 'holter.db.seal'), seal);
    const store = await openSqlite(join(crashed, 'holter.db'), { seal: {} });
    expect(await store.load('ada')).not.toBeNull();
    await store.close();
    rmSync(crashed, { recursive: true });
  });

  it('refuses an older copy at the start, and takes it when it was meant', async () => {
    const store = await filled();
    const copy = join(folder, 'backup.db');
    await store.backup(copy);
    await sealedAgain();
    await committed(store, commitOf(agentOf('ada'), 1));
    await store.close();
    copyFileSync(copy, path);
    const before = readFileSync(path);
    expect(await faultOf(open())).toMatch(/^exchanged: it is an older copy \(generation \d+; this folder/);
    expect(readFileSync(path).equals(before)).toBe(true);
    const restored = await open(true);
    expect(await restored.load('ada')).toMatchObject({ version: 1 });
    await restored.close();
    await open();
  });

  it('sets the log of the newer database aside when a copy is accepted', async () => {
    const store = await filled();
    const copy = join(folder, 'backup.db');
    await store.backup(copy);
    await sealedAgain();
    await committed(store, commitOf(agentOf('bob'), 0));
    copyFileSync(`${path}-wal`, join(folder, 'wal'));
    await store.close();
    copyFileSync(copy, path);
    copyFileSync(join(folder, 'wal'), `${path}-wal`);
    expect(sealFault(path)).toMatchObject({ code: 'exchanged' });
    const restored = await open(true);
    expect(await restored.load('bob')).toBeNull();
    expect(await restored.check()).toEqual([]);
    expect(existsSync(`${path}-wal.not-restored`)).toBe(true);
  });

  it('refuses the database of another folder, half a file, none, and what is no database', async () => {
    await (await filled()).close();
    const { size } = statSync(path);
    copyFileSync(path, join(folder, 'whole'));
    truncateSync(path, size / 2);
    expect(await faultOf(open())).toMatch(/^corrupt: it was cut off: \d+ of \d+ bytes are left$/);
    expect(await faultOf(open(true))).toMatch(/^corrupt: it was cut off/);
    writeFileSync(path, 'notes '.repeat(1_000));
    expect(await faultOf(open())).toMatch(/^corrupt: it does not begin like a database$/);
    rmSync(path);
    expect(await faultOf(open())).toMatch(/^missing: the database of this folder is gone$/);
    expect(existsSync(path)).toBe(false);
    copyFileSync(join(folder, 'whole'), path);
    const other = new Database(path);
    other.exec('pragma application_id = 7');
    other.close();
    expect(await faultOf(open())).toMatch(/^exchanged: it is the database of another folder$/);
  });

  it('takes a database that was vacuumed at a stop, and one of a version without seals', async () => {
    const store = await filled();
    await store.prune(before(99), 1_000);
    await store.close();
    const other = new Database(path);
    other.exec('vacuum');
    other.close();
    await (await open()).close();
    rmSync(`${path}.seal`);
    await open();
    expect(existsSync(`${path}.seal`)).toBe(true);
  });

  const harms: [what: string, harm: (copy: string) => void, says: RegExp][] = [
    ['cut in half', () => truncateSync(path, 20_000), /was cut off: 20000 of \d+ bytes are left$/],
    ['overwritten by an older copy', overwrite, /another copy of the database was written over it$/],
    [
      'left without its log',
      () => rmSync(`${path}-wal`, { force: true }),
      /its write-ahead log was removed or exchanged$/,
    ],
  ];

  it.each(harms)('knows that the file was %s', async (_what, harm, says) => {
    await (await filled()).close();
    const copy = join(folder, 'backup.db');
    copyFileSync(path, copy);
    const database = new Database(path);
    const seal = new Seal(path);
    seal.verify(false);
    seal.begin(database, false);
    seal.renew(database);
    seal.renew(database);
    harm(copy);
    expect(() => seal.renew(database)).toThrow(says);
    seal.discardLog();
    const before = readFileSync(path);
    database.close();
    if (existsSync(`${path}-wal`)) expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('takes a file that was moved away for gone, not for damaged, and seals it again when it is back', async () => {
    await (await filled()).close();
    const copy = join(folder, 'backup.db');
    copyFileSync(path, copy);
    const database = new Database(path);
    const seal = new Seal(path);
    seal.verify(false);
    seal.begin(database, false);
    seal.renew(database);
    renameSync(path, `${path}.away`);
    seal.renew(database);
    // As while it is copied: first empty, then a part of it, then all.
    for (const bytes of [0, 50, 20_000, statSync(copy).size]) {
      writeFileSync(path, readFileSync(copy).subarray(0, bytes));
      seal.renew(database);
    }
    renameSync(`${path}.away`, path);
    const before = generation();
    seal.renew(database);
    expect(generation()).toBe(before + 1);
    database.close();
    seal.release();
    expect(sealFault(path)).toBeNull();
  });

  it.each(harms)('says while it runs that it was %s, and writes nothing more', async (_what, harm) => {
    const store = await filled();
    const copy = join(folder, 'backup.db');
    await store.backup(copy);
    await sealedAgain();
    const fault = await until(
      'it is noticed',
      async () => {
        // Again and again, because a seal that is just being written would repair it.
        harm(copy);
        const found = await faultOf(store.getMeta('x'));
        return found === 'none' ? null : found;
      },
      30_000,
    );
    expect(fault).toMatch(/^(?:corrupt|exchanged): .*restore a backup/);
    const before = readFileSync(path);
    expect(await faultOf(store.putMeta('x', 'y'))).toBe(fault);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  // Each of the two may take its 30 s where the machine is busy.
  it('refuses an older copy that was renamed into its place, and goes on when the right one is back', {
    timeout: 90_000,
  }, async () => {
    const store = await filled();
    const copy = join(folder, 'backup.db');
    await store.backup(copy);
    await sealedAgain();
    renameSync(path, `${path}.away`);
    copyFileSync(copy, path);
    const before = readFileSync(path);
    await until(
      'it is refused',
      async () => /^exchanged/.test(await faultOf(store.putMeta('x', 'y'))),
      30_000,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    rmSync(path);
    renameSync(`${path}.away`, path);
    await until('it is used again', async () => (await faultOf(store.putMeta('x', 'y'))) === 'none', 30_000);
    expect(await store.load('ada')).toMatchObject({ version: 1 });
  });

  it('reads the whole file at the start after damage was seen in it', async () => {
    await (await filled()).close();
    const page = Math.floor(readFileSync(path).indexOf('x'.repeat(1_000)) / 4_096);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, page * 4_096, page * 4_096 + 4_000);
    writeFileSync(path, bytes);
    const store = await open();
    expect(await faultOf(store.readEvents({ after: 0, limit: 100 }))).toMatch(/^corrupt/);
    expect(await faultOf(store.putMeta('x', 'y'))).toMatch(/^corrupt/);
    await store.close();
    expect(await faultOf(open())).toMatch(/^corrupt: the (?:database )?file is damaged/);
  });
});
