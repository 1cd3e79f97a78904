import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instant } from '@holter/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataFolder, dataFolderPath } from './data-folder.ts';
import { ensureFirstTokens } from './first-tokens.ts';
import { openMemory } from './store/memory/index.ts';

let folder: DataFolder;

beforeEach(() => {
  folder = new DataFolder(join(mkdtempSync(join(tmpdir(), 'holter-folder-')), 'data'));
  folder.prepare();
});

afterEach(() => rmSync(join(folder.path, '..'), { recursive: true, force: true }));

describe('where the data folder is', () => {
  it.each<[named: string | undefined, env: Record<string, string>, path: string]>([
    ['/named', { HOLTER_DATA: '/env' }, '/named'],
    [undefined, { HOLTER_DATA: '/env', XDG_STATE_HOME: '/state' }, '/env'],
    [undefined, { XDG_STATE_HOME: '/state', HOME: '/home/ines' }, '/state/holter'],
    [undefined, { HOME: '/home/ines' }, '/home/ines/.local/state/holter'],
    ['', { HOME: '/home/ines', HOLTER_DATA: '' }, '/home/ines/.local/state/holter'],
  ])('named %s, with %j: %s', (named, env, path) => {
    expect(dataFolderPath(named, env)).toBe(path);
  });
});

describe('the file that says who serves', () => {
  const server = { url: 'http://127.0.0.1:4658', pid: 7, version: '1', startedAt: 5 };

  it('is read back, and removed only by its writer', () => {
    folder.writeServer(server);
    expect(folder.readServer()).toEqual(server);
    folder.removeServer(8);
    expect(folder.readServer()).toEqual(server);
    folder.removeServer(7);
    expect(folder.readServer()).toBeNull();
  });

  it('leaves its port behind for the next server', () => {
    expect(folder.readLastPort()).toBeNull();
    folder.writeServer(server);
    folder.removeServer(7);
    expect(folder.readLastPort()).toBe(4658);
  });

  it.each(['', '{', '[]', '{"url":7,"pid":1}', 'null'])('is as good as none when it says %j', (text) => {
    writeFileSync(join(folder.path, 'server.json'), text);
    expect(folder.readServer()).toBeNull();
  });
});

describe('first tokens', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  let count = 0;
  const make = (store: ReturnType<typeof openMemory>) =>
    ensureFirstTokens(folder, {
      store,
      clock: { now: () => instant(1), after: () => () => undefined },
      sha256,
      newSecret: () => `secret-${++count}`,
      newId: () => `id-${++count}`,
    });

  it('are made once, stored as hashes, and kept by the owner alone', async () => {
    const store = openMemory();
    expect(await make(store)).toEqual(['operator', 'enroll', 'viewer']);
    expect(await make(store)).toEqual([]);
    const secret = folder.readToken('operator') ?? '';
    expect(await store.findToken(sha256(secret))).toMatchObject({ role: 'operator', revokedAt: null });
    expect(JSON.stringify(await store.listTokens())).not.toContain(secret);
    expect(statSync(folder.tokenFile('operator')).mode & 0o777).toBe(0o600);
  });

  it('are made anew when one was revoked, or the database is another one', async () => {
    const store = openMemory();
    await make(store);
    const viewer = (await store.listTokens()).find(({ role }) => role === 'viewer');
    await store.revokeToken(viewer?.id ?? '', instant(2));
    expect(await make(store)).toEqual(['viewer']);
    expect(await make(openMemory())).toEqual(['operator', 'enroll', 'viewer']);
  });
});
