import { instant, RECORD_VERSION, RECORD_VERSION_MIN } from '@holter/core';
import { expect, test } from 'vitest';
import { openMemory } from '../store/memory/index.ts';
import type { Store } from '../store/store.ts';
import { ServerList } from './server-list.ts';

let at = 0;

const server = (store: Store, id: string, recordVersion: number, lateTicks = 0) =>
  new ServerList({
    store,
    id,
    recordVersion,
    clock: { now: () => instant(++at), after: () => () => undefined },
    flushedAt: () => instant(at),
    name: () => `host of ${id}`,
    lateTicks: () => lateTicks,
    died: () => undefined,
  });

async function look(times: number, ...servers: readonly ServerList[]): Promise<void> {
  for (let time = 0; time < times; time += 1) for (const each of servers) await each.look();
}

test('a server that is alone writes its own version from its first look on', async () => {
  const next = server(openMemory(), 'next', RECORD_VERSION + 1);
  // It has not seen the others yet.
  expect(next.recordVersion).toBe(RECORD_VERSION_MIN);
  await look(1, next);
  expect(next.recordVersion).toBe(RECORD_VERSION + 1);
});

test('all write the oldest announced version, and go on with the next once no older server is left', async () => {
  const store = openMemory();
  const old = server(store, 'old', RECORD_VERSION);
  await look(1, old);
  const next = server(store, 'next', RECORD_VERSION + 1);
  await look(2, next, old);
  expect([old.recordVersion, next.recordVersion]).toEqual([RECORD_VERSION, RECORD_VERSION]);
  await old.leave();
  await look(60, next);
  expect(next.recordVersion).toBe(RECORD_VERSION);
  await look(1, next);
  expect(next.recordVersion).toBe(RECORD_VERSION + 1);
  await look(1, old, next);
  expect(next.recordVersion).toBe(RECORD_VERSION);
});

test('an older server that is restarted meanwhile does not meet newer records', async () => {
  const store = openMemory();
  const [old, next] = [server(store, 'old', RECORD_VERSION), server(store, 'next', RECORD_VERSION + 1)];
  await look(1, old, next);
  await old.leave();
  await look(50, next);
  const again = server(store, 'again', RECORD_VERSION);
  await look(1, again, next);
  await again.leave();
  await look(50, next);
  expect(next.recordVersion).toBe(RECORD_VERSION);
});

test('every server knows which of them have ticked late again and again', async () => {
  const store = openMemory();
  const [busy, well] = [server(store, 'busy', RECORD_VERSION, 5), server(store, 'well', RECORD_VERSION, 4)];
  expect(busy.late).toEqual([]);
  await look(2, busy, well);
  const late = [{ name: 'host of busy', lateTicks: 5 }];
  expect([busy.late, well.late]).toEqual([late, late]);
  expect([well.nameOf('busy'), well.nameOf('nowhere')]).toEqual(['host of busy', null]);
  await busy.leave();
  await look(1, well);
  expect(well.late).toEqual([]);
});
