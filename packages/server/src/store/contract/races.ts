import { describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, commitOf, committed, nudge, softOf, taskChanged } from './kit.ts';
import { withStore } from './with-store.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

export function racesContract(open: OpenStore): void {
  describe('two writers at once', () => {
    const current = withStore(open);
    const both = async (): Promise<readonly [Store, Store]> => [current.store, await current.second()];

    it('only one of them wins each version', async () => {
      const [a, b] = await both();
      for (const version of numbers(20)) {
        const verdicts = await Promise.all(
          [a, b].map((store) => store.commit([commitOf(agentOf('ada'), version)])),
        );
        expect(
          verdicts
            .flat()
            .map(({ kind }) => kind)
            .sort(),
        ).toEqual(['conflict', 'ok']);
      }
    });

    it('a reader that follows the cursor sees every event once, in order', async () => {
      const [a, b] = await both();
      const seen: number[] = [];
      const changes: number[] = [];
      let isDone = false;
      const read = async (store: Store): Promise<void> => {
        for (let isLast = false; ; isLast = isDone) {
          for (const { cursor } of await store.readEvents({ after: seen.at(-1) ?? 0, limit: 7 }))
            seen.push(cursor);
          const after = changes.at(-1) ?? 0;
          for (const { cursor } of await store.readEffectChanges({ after, limit: 7 })) changes.push(cursor);
          if (isLast && seen.length >= 120 && changes.length >= 120) return;
        }
      };
      const write = async (store: Store, name: string): Promise<void> => {
        for (const i of numbers(20)) {
          const agentId = `${name}${i}`;
          await store.commit(
            numbers(3).map((k) =>
              commitOf(agentOf(`${agentId}.${k}`), 0, {
                events: [taskChanged(agentId, at(1), 'x')],
                effects: [nudge(`${agentId}.${k}`, agentId)],
              }),
            ),
          );
        }
      };
      const writing = Promise.all([write(a, 'a'), write(b, 'b')]).finally(() => {
        isDone = true;
      });
      await Promise.all([writing, read(b)]);
      expect(seen).toEqual(numbers(120).map((i) => i + 1));
      expect(changes).toEqual(numbers(120).map((i) => i + 1));
    });

    it('only one of them claims each due agent and each effect', async () => {
      const [a, b] = await both();
      const ids = numbers(60).map((i) => `agent-${i}`);
      await a.commit(
        ids.map((id) => commitOf(agentOf(id, { wakeAt: at(1) }), 0, { effects: [nudge(`e ${id}`, id)] })),
      );
      const claim = async (store: Store): Promise<readonly string[]> => {
        const due = await store.claimDue({ at: at(1), leaseMs: 100, limit: 7 });
        const effects = await store.claimEffects({ executors: [null], at: at(1), leaseMs: 100, limit: 7 });
        return [...due.map(({ agentId }) => agentId), ...effects.map(({ effect }) => effect.id)];
      };
      const claims = await Promise.all(numbers(10).flatMap(() => [claim(a), claim(b)]));
      const taken = claims.flat();
      expect(taken).toHaveLength(120);
      expect(new Set(taken).size).toBe(120);
    });

    it('soft facts of both are merged by maximum', async () => {
      const [a, b] = await both();
      await committed(a, commitOf(agentOf('ada'), 0));
      await Promise.all(
        numbers(20).map((i) =>
          [a, b][i % 2]?.flushSoft([
            {
              agentId: 'ada',
              incarnation: 1,
              soft: softOf({ beatAt: at((i * 7) % 20), tokens: (i * 3) % 20 }),
            },
          ]),
        ),
      );
      expect((await b.load('ada'))?.agent.soft).toEqual(softOf({ beatAt: at(19), tokens: 19 }));
    });

    it('a counter updated by compare-and-swap loses nothing', async () => {
      const stores = await both();
      const count = async (store: Store): Promise<void> => {
        for (const _ of numbers(15)) {
          for (;;) {
            const before = await store.getMeta('count');
            if (await store.swapMeta('count', before, String(Number(before ?? 0) + 1))) break;
          }
        }
      };
      await Promise.all(stores.map(count));
      expect(await current.store.getMeta('count')).toBe('30');
    });
  });
}
