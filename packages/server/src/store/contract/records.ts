import { describe, expect, it } from 'vitest';
import type { StoredCheckpoint, StoredToken } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, checkpointOf, commitOf, committed, nudge, taskChanged } from './kit.ts';
import { withStore } from './with-store.ts';

const token = (id: string, rest: Partial<StoredToken> = {}): StoredToken => ({
  id,
  hash: `hash of ${id}`,
  role: 'viewer',
  agentId: null,
  group: null,
  createdAt: at(0),
  revokedAt: null,
  ...rest,
});

/** Texts that careless quoting, encoding or key look-up would break. */
const awkward = [
  'naïve Größe 日本語 🫀🏽',
  "'; drop table agents; --",
  'a\u0000b\u001f\u2028\u{10ffff}',
  '__proto__',
  '"\\\n\t',
  '$json$ $$ $1',
  '\\u0000 \\ud83e',
  '',
];

export function recordsContract(open: OpenStore): void {
  describe('records', () => {
    const current = withStore(open);

    it('keeps checkpoints, newest first, each once', async () => {
      const { store } = current;
      const first = checkpointOf('k1');
      const second = checkpointOf('k2', { parentId: 'k1', taskId: 't', at: at(2) });
      expect(await store.putCheckpoint(first)).toBe('stored');
      expect(await store.putCheckpoint(second)).toBe('stored');
      expect(await store.putCheckpoint(checkpointOf('k1', { content: '{"other":1}' }))).toBe('exists');
      expect(await store.putCheckpoint(checkpointOf('k1', { agentId: 'bob' }))).toBe('stored');
      const headOf = ({ content, ...head }: StoredCheckpoint) => ({
        ...head,
        bytes: Buffer.byteLength(content),
      });
      expect(await store.listCheckpoints('ada', 10)).toEqual([second, first].map(headOf));
      expect(await store.listCheckpoints('ada', 1)).toEqual([headOf(second)]);
      expect(await store.listCheckpoints('cyd', 1)).toEqual([]);
      expect(await store.readCheckpoint('ada', 'k1')).toEqual(first);
      expect(await store.readCheckpoint('ada', 'k2')).toEqual(second);
      expect(await store.readCheckpoint('ada', 'k3')).toBeNull();
    });

    it('deletes the named checkpoints of one agent', async () => {
      const { store } = current;
      for (const id of ['k1', 'k2', 'k3']) await store.putCheckpoint(checkpointOf(id));
      await store.putCheckpoint(checkpointOf('k1', { agentId: 'bob' }));
      await store.deleteCheckpoints('ada', ['k1', 'k3', 'unknown']);
      await store.deleteCheckpoints('cyd', ['k2']);
      expect(await store.listCheckpoints('ada', 9)).toMatchObject([{ checkpointId: 'k2' }]);
      expect(await store.listCheckpoints('bob', 9)).toHaveLength(1);
    });

    it('keeps tokens, including revoked ones', async () => {
      const { store } = current;
      await store.putToken(token('t2', { role: 'agent', agentId: 'ada' }));
      await store.putToken(token('t1', { role: 'orchestrator', group: 'red' }));
      expect(await store.findToken('hash of t2')).toEqual(token('t2', { role: 'agent', agentId: 'ada' }));
      expect(await store.findToken('hash of t3')).toBeNull();
      expect((await store.listTokens()).map(({ id }) => id)).toEqual(['t1', 't2']);
      expect(await store.revokeToken('t2', at(5))).toBe(true);
      expect(await store.revokeToken('t2', at(6))).toBe(false);
      expect(await store.revokeToken('t3', at(6))).toBe(false);
      expect(await store.findToken('hash of t2')).toMatchObject({ revokedAt: at(5) });
      await store.putToken(token('t1', { group: 'blue', hash: 'another' }));
      expect(await store.findToken('hash of t1')).toBeNull();
      expect(await store.findToken('another')).toMatchObject({ group: 'blue' });
    });

    it("keeps only the newest tokens of an agent's starts, if told so", async () => {
      const { store } = current;
      const ofStart = (id: string, second: number) =>
        token(id, { role: 'agent', agentId: 'ada', createdAt: at(second) });
      for (const id of ['made-by-hand', 'ping:ada#1.k', 'ada#1.c', 'ada#1.b'])
        await store.putToken(ofStart(id, 1));
      await store.putToken(token('adam#1.x', { role: 'agent', agentId: 'adam' }), 1);
      await store.putToken(ofStart('ada#1.a', 1), 2);
      const left = async () => (await store.listTokens()).map(({ id }) => id);
      expect(await left()).toEqual(['ada#1.a', 'ada#1.b', 'adam#1.x', 'made-by-hand', 'ping:ada#1.k']);
      await store.putToken(ofStart('ada#2.a', 3), 2);
      expect(await left()).toEqual(['ada#1.a', 'ada#2.a', 'adam#1.x', 'made-by-hand', 'ping:ada#1.k']);
    });

    it('keeps small named values', async () => {
      const { store } = current;
      expect(await store.getMeta('last-tick')).toBeNull();
      await store.putMeta('last-tick', '1');
      await store.putMeta('last-tick', '2');
      await store.putMeta('id', '');
      expect(await store.getMeta('last-tick')).toBe('2');
      expect(await store.getMeta('id')).toBe('');
    });

    it('returns awkward texts unchanged in every field', async () => {
      const { store } = current;
      for (const [i, text] of awkward.entries()) {
        const id = `agent-${i}`;
        // The only text that a plain text column can't hold.
        const plain = text.replaceAll('\0', '\ufffd');
        const agent = agentOf(id, { role: text, group: text, highWater: { [`m${text}`]: 1 } });
        const event = taskChanged(id, at(1), text);
        const effect = nudge(`e${text}`, id, { executor: text });
        await committed(
          store,
          commitOf(agent, 0, { events: [event], effects: [effect], correlationId: text }),
        );
        expect((await store.load(id))?.agent).toEqual(agent);
        expect((await store.groupSize(text)).size).toBe(1);
        expect(await store.readEvents({ after: i, limit: 1 })).toMatchObject([
          { event, correlationId: plain },
        ]);
        const claim = { executors: [text], at: at(1), leaseMs: 1, limit: 1 };
        expect(await store.claimEffects(claim)).toMatchObject([{ effect }]);
        await store.settleEffect(effect.id, { at: at(2), outcome: 'done', detail: text });
        expect(await store.listEffects({ limit: 1 })).toMatchObject([{ detail: plain }]);
        const content = JSON.stringify(text);
        await store.putCheckpoint(checkpointOf(`k${text}`, { agentId: id, content }));
        expect(await store.readCheckpoint(id, `k${text}`)).toMatchObject({ content });
        expect(await store.listCheckpoints(id, 1)).toMatchObject([{ bytes: Buffer.byteLength(content) }]);
        await store.putMeta(`key ${plain}`, plain);
        expect(await store.getMeta(`key ${plain}`)).toBe(plain);
      }
    });

    it('returns half of a surrogate pair inside a record', async () => {
      const { store } = current;
      const agent = agentOf('ada', { highWater: { 'half \ud83e': 1 } });
      const event = taskChanged('ada', at(1), 'half \udd16');
      await committed(store, commitOf(agent, 0, { events: [event] }));
      expect((await store.load('ada'))?.agent).toEqual(agent);
      expect(await store.readEvents({ after: 0, limit: 1 })).toMatchObject([{ event }]);
    });

    it('accepts a checkpoint of many megabytes', async () => {
      const { store } = current;
      const content = JSON.stringify('é'.repeat(4 * 2 ** 20));
      await store.putCheckpoint(checkpointOf('big', { content }));
      const stored = await store.readCheckpoint('ada', 'big');
      expect(stored?.content === content).toBe(true);
    });
  });
}
