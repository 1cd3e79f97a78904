import { createHash } from 'node:crypto';
import { type Checkpoint, canonicalJson, checkpointHash, chooseCheckpoint, instant } from '@holter/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemory } from '../store/memory/index.ts';
import { readChain } from './stored-chain.ts';

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

test('a chain that is read only as far as needed leads to the same choice as the whole', async () => {
  await fc.assert(
    fc.asyncProperty(rows, link, async (parts, headId) => {
      const store = openMemory();
      const all: Checkpoint[] = [];
      for (const { isSound, at, ...part } of parts) {
        const plain = {
          ...part,
          agentId: 'ada',
          incarnation: 1,
          at: instant(at),
          content: part.checkpointId,
        };
        const checkpoint = { ...plain, hash: isSound ? checkpointHash(plain, sha256) : 'wrong' };
        const canonical = canonicalJson(checkpoint.content);
        await store.putCheckpoint({
          ...checkpoint,
          content: canonical.kind === 'canonical' ? canonical.text : '',
        });
        all.unshift(checkpoint);
      }
      const place = { agentId: 'ada', taskId: 't1', headId: headId ?? undefined };
      const chain = await readChain(store, place, sha256);
      const whole = { ...place, headId: headId ?? all[0]?.checkpointId ?? null, checkpoints: all };
      expect(chooseCheckpoint(chain, sha256)).toEqual(chooseCheckpoint(whole, sha256));
    }),
  );
});
