import { expect, it } from 'vitest';
import { letterOf } from '../store/contract/kit.ts';
import { openMemory } from '../store/memory/index.ts';
import { unreadFor } from './unread-letters.ts';

const write = async (store: ReturnType<typeof openMemory>, letterId: string, rest: object = {}) =>
  store.putLetter({ letter: letterOf(letterId, rest), acknowledges: null, boxMax: 1_000 });

it('letters of unverified senders hide none of a verified one, and are counted', async () => {
  const store = openMemory();
  await write(store, 'm1');
  for (let n = 0; n < 60; n += 1) await write(store, `f${n}`, { isVerified: false });
  await write(store, 'm2');
  const { letters, unverified } = await unreadFor(store, 'bob', 1);
  expect(letters.map(({ letterId }) => letterId)).toEqual(['m1', 'm2']);
  expect(unverified).toBe(60);
});

it('what an agent has left to its successor hides nothing that came after it', async () => {
  const store = openMemory();
  const content = '{"type":"handoff","message":"go on","incarnation":1}';
  for (let n = 0; n < 60; n += 1) await write(store, `h${n}`, { from: 'bob', content });
  await write(store, 'm1');
  const shown = async (incarnation: number) =>
    (await unreadFor(store, 'bob', incarnation)).letters.map(({ letterId }) => letterId);
  expect(await shown(1)).toEqual(['m1']);
  expect((await shown(2)).at(0)).toBe('h0');
});
