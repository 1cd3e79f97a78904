import { createHash } from 'node:crypto';
import { type Checkpoint, canonicalJson, checkpointHash, chooseCheckpoint, instant } from '@holter/core';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { TempSqlite } from '../store/contract/temp-sqlite.ts';
import { openMemory } from '../store/memory/index.ts';
import type { Store } from '../store/store.ts';
import { readChain, readUsable } from './stored-chain.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const ids = ['a', 'b', 'c', 'd', 'e'];
const link = fc.option(fc.constantFrom(...ids, 'gone'), { nil: null });
const rows = fc.uniqueArray(
  fc.record({
    checkpointId: fc.constantFrom(...ids),
    parentId: link,
    taskId: fc.constantFrom('t1', 't1', null),
    at: fc.integer({ min: 0, max: 3 }),
    isSound: fc.boolean(),
  }),
  { selector: ({ checkpointId }) => checkpointId },
);

type Row = {
  readonly checkpointId: string;
  readonly parentId: string | null;
  readonly taskId: string | null;
  readonly at: number;
  readonly isSound: boolean;
};

async function put(store: Store, { isSound, at, ...part }: Row): Promise<Checkpoint> {
  const plain = { ...part, agentId: 'ada', incarnation: 1, at: instant(at), content: part.checkpointId };
  const checkpoint = { ...plain, hash: isSound ? checkpointHash(plain, sha256) : 'wrong' };
  const canonical = canonicalJson(checkpoint.content);
  await store.putCheckpoint({
    ...checkpoint,
    content: canonical.kind === 'canonical' ? canonical.text : '',
  });
  return checkpoint;
}

test('a chain that is read only as far as needed leads to the same choice as the whole', async () => {
  await fc.assert(
    fc.asyncProperty(rows, link, async (parts, headId) => {
      const store = openMemory();
      const all: Checkpoint[] = [];
      for (const part of parts) all.unshift(await put(store, part));
      const place = { agentId: 'ada', taskId: 't1', headId: headId ?? undefined };
      const chain = await readChain(store, place, sha256);
      const whole = { ...place, headId: headId ?? all[0]?.checkpointId ?? null, checkpoints: all };
      expect(chooseCheckpoint(chain, sha256)).toEqual(chooseCheckpoint(whole, sha256));
    }),
  );
});

const sqlite = new TempSqlite();
afterAll(() => sqlite.dispose());

const row = (checkpointId: string, parentId: string | null, more: Partial<Row> = {}): Row => ({
  ...{ checkpointId, parentId, taskId: 't1', at: checkpointId.charCodeAt(0), isSound: true },
  ...more,
});

test.each<[string, () => Promise<Store>]>([
  ['memory', async () => openMemory()],
  ['sqlite', () => sqlite.fresh()],
])(
  '%s: the newest usable checkpoints are those of the chain that are valid and of its task',
  async (_, open) => {
    const store = await open();
    const rows = [
      ...[row('a', null), row('b', 'a'), row('c', 'b', { isSound: false }), row('d', 'c')],
      ...[row('e', 'd', { taskId: 't2' }), row('f', 'e'), row('x', 'f')],
    ];
    for (const each of rows) await put(store, each);
    const usable = async (headId: string | undefined, countMax = 3) => {
      const found = await readUsable(store, { agentId: 'ada', taskId: 't1', headId }, sha256, countMax);
      return found.map(({ checkpointId, at }) => `${checkpointId}@${at}`);
    };
    // `x` is a row of a stale start: the record's head is `f`.
    expect(await usable('f')).toEqual(['f@102', 'd@100', 'b@98']);
    expect(await usable('f', 9)).toEqual(['f@102', 'd@100', 'b@98', 'a@97']);
    expect(await usable('b')).toEqual(['b@98', 'a@97']);
    expect(await usable(undefined, 1)).toEqual(['x@120']);
    // A link that leads nowhere goes on with the newest, once.
    await put(store, row('g', 'gone'));
    expect(await usable('g', 9)).toEqual(['g@103', 'x@120', 'f@102', 'd@100', 'b@98', 'a@97']);
  },
);
