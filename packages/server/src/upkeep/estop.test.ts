import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { DataFolder } from '../data-folder.ts';
import { openMemory } from '../store/memory/index.ts';
import { StoreUnavailable } from '../store/store.ts';
import { EstopWatch } from './estop.ts';

const root = mkdtempSync(join(tmpdir(), 'holter-estop-'));
afterAll(() => rmSync(root, { recursive: true }));

const clock = new ManualClock();
let folders = 0;

function newFolder(place: string | null): DataFolder {
  const folder = new DataFolder(join(root, `${++folders}`));
  folder.prepare();
  folder.writeDatabase(place);
  return folder;
}

/** Servers on machines of their own, over one database. */
async function servers(count: number, store = openMemory()) {
  const logged: string[] = [];
  const logger = { warn: (_: object, message: string) => void logged.push(message) } as never;
  const start = async (folder = newFolder('db.example/holter')) => ({
    folder,
    watch: await EstopWatch.start({ folder, store, clock, isShared: true, logger }),
  });
  const all: Awaited<ReturnType<typeof start>>[] = [];
  for (let n = 0; n < count; n += 1) all.push(await start());
  const held = () => all.map(({ watch }) => watch.read()?.by ?? null);
  return { all, start, held, logged };
}

const olga = { at: 7, by: 'olga', reason: 'a drill' };

test('what a person stops on one machine is stopped on all, and in their folders, for their daemons', async () => {
  const { all, held } = await servers(3);
  all[1]?.folder.writeEstop(olga);
  await clock.advance(2_000);
  expect(held()).toEqual(['olga', 'olga', 'olga']);
  expect(all[0]?.watch.read()).toEqual(olga);
  expect(all.map(({ folder }) => folder.readEstop()?.reason)).toEqual(['a drill', 'a drill', 'a drill']);
});

test('it is lifted from any machine, and stays lifted', async () => {
  const { all, held } = await servers(3);
  all[0]?.folder.writeEstop(olga);
  await clock.advance(2_000);
  expect(all[2]?.folder.liftEstop()).toBe(true);
  await clock.advance(10_000);
  expect(held()).toEqual([null, null, null]);
  expect(all.map(({ folder }) => folder.readEstopFile())).toEqual([null, null, null]);
});

test('the server that was told first may end: the others stay stopped, and one that starts is', async () => {
  const { all, start, held } = await servers(2);
  all[0]?.folder.writeEstop(olga);
  await clock.advance(2_000);
  all[0]?.watch.stop();
  await clock.advance(60_000);
  expect(held()[1]).toBe('olga');
  expect((await start()).watch.read()).toEqual(olga);
});

test('a server that was away while it was lifted does not stop the others again', async () => {
  const { all, start, held } = await servers(2);
  const away = all[0];
  away?.folder.writeEstop(olga);
  await clock.advance(2_000);
  away?.watch.stop();
  all[1]?.folder.liftEstop();
  await clock.advance(2_000);
  expect((await start(away?.folder)).watch.read()).toBeNull();
  await clock.advance(2_000);
  expect(held()[1]).toBeNull();
});

test('while the database is away, the word in the folder counts, and the others are told later', async () => {
  const store = openMemory();
  let isAway = false;
  const wire = Object.assign(Object.create(store), {
    getMeta: (key: string) =>
      isAway ? Promise.reject(new StoreUnavailable('closed', 'away')) : store.getMeta(key),
  }) as typeof store;
  const { all, held, logged } = await servers(2, wire);
  isAway = true;
  all[0]?.folder.writeEstop(olga);
  await clock.advance(2_000);
  expect(held()).toEqual(['olga', null]);
  expect(logged).toContain('other servers may not know of an estop');
  isAway = false;
  await clock.advance(2_000);
  expect(held()).toEqual(['olga', 'olga']);
});

test('a folder with its own database only has its file', () => {
  const folder = newFolder(null);
  folder.writeEstop(olga);
  expect(folder.liftEstop()).toBe(true);
  expect(folder.readEstopFile()).toBeNull();
  expect(folder.liftEstop()).toBe(false);
});
