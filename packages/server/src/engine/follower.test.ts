import { describe, expect, it } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { agentOf, at, beat, commitOf, nudge, taskChanged } from '../store/contract/kit.ts';
import { openMemory } from '../store/memory/index.ts';
import type { Commit, Store } from '../store/store.ts';
import { Follower } from './follower.ts';

function world(isShared = true) {
  const store = openMemory();
  const clock = new ManualClock();
  const told: string[] = [];
  const failures: unknown[] = [];
  let saw = 0;
  const follower = new Follower({
    store,
    clock,
    isShared,
    saw: (cursor) => {
      saw = cursor;
    },
    failed: (error) => failures.push(error),
  });
  follower.onCommit(({ stored, events, own }) => {
    const what = events.map((event) => (event.type === 'TASK_CHANGED' ? event.payload.status : event.type));
    told.push(
      `${own ? 'own' : 'other'} ${stored?.agent.hard.agentId ?? 'fleet'} v${stored?.version} ${what}`,
    );
  });
  follower.onEffect(({ what, effect, outcome }) => told.push(`${what} ${effect.id} ${outcome}`));
  const commit = async (writer: Store, made: Commit) => {
    const [verdict] = await writer.commit([made]);
    if (verdict?.kind !== 'ok') throw new Error(JSON.stringify(verdict));
    return verdict;
  };
  /** As a cell does it: committed, and told when the answer is there. */
  const own = async (agentId: string, version: number, ...words: readonly string[]) => {
    const made = commitOf(agentOf(agentId), version, { events: words.map((w) => eventOf(agentId, w)) });
    const { firstCursor } = await commit(store, made);
    return () =>
      follower.committed({
        ...made,
        before: null,
        inputs: [],
        stored: { agent: made.agent, version: version + 1 },
        firstCursor,
      });
  };
  const other = store.beside();
  const foreign = (agentId: string, version: number, ...words: readonly string[]) =>
    commit(other, commitOf(agentOf(agentId), version, { events: words.map((w) => eventOf(agentId, w)) }));
  return { store, other, clock, follower, told, failures, own, foreign, saw: () => saw };
}

const eventOf = (agentId: string, word: string) =>
  word === 'beat' ? beat(agentId, at(1)) : taskChanged(agentId, at(1), word);

describe('the follower', () => {
  it('reads what the store has logged of effects that an own commit cancelled', async () => {
    const { store, follower, own, told } = world(false);
    await follower.start(0);
    (await own('ada', 0, 'a'))();
    const made = commitOf(agentOf('ada'), 1, { effects: [nudge('e', 'ada')] });
    await store.commit([made]);
    const ending = commitOf(agentOf('ada'), 2, { over: ['incident:ada/1'] });
    const [verdict] = await store.commit([ending]);
    if (verdict?.kind !== 'ok') throw new Error('refused');
    const { kind: _, version, ...logged } = verdict;
    told.length = 0;
    follower.committed({
      ...ending,
      before: null,
      inputs: [],
      stored: { agent: ending.agent, version },
      ...logged,
    });
    await settled();
    expect(told).toEqual(['own ada v3 ', 'other ada v3 EFFECT_CANCELLED']);
  });

  it('tells of the end of an effect after the events that came before it', async () => {
    const { store, other, follower, foreign, told } = world();
    await other.commit([commitOf(agentOf('ada'), 0, { effects: [nudge('e', 'ada')] })]);
    await follower.start(0);
    let isEnded = false;
    store.setHook(async ({ when, operation }) => {
      if (when !== 'after' || operation !== 'readEvents' || isEnded) return;
      isEnded = true;
      await foreign('ada', 1, 'receipt');
      await other.settleEffect('e', { at: at(2), outcome: 'delivered', detail: '' });
    });
    await follower.poll();
    await follower.poll();
    expect(told).toEqual(['other ada v2 receipt', 'settled e delivered']);
    follower.stop();
  });

  it('passes own commits on at once, without reading the store', async () => {
    const { store, follower, own, told } = world();
    await follower.start(0);
    store.setHook(({ operation }) => {
      if (operation === 'readEvents') throw new Error('not needed');
    });
    (await own('ada', 0, 'one', 'two'))();
    (await own('ada', 1, 'beat'))();
    (await own('ada', 2, 'three'))();
    expect(told).toEqual(['own ada v1 one,two', 'own ada v2 AGENT_HEARTBEAT', 'own ada v3 three']);
    follower.stop();
  });

  it('reads the gap before an own commit first, so that the order is kept', async () => {
    const { follower, own, foreign, told, saw } = world();
    await follower.start(0);
    await foreign('bob', 0, 'theirs');
    (await own('ada', 0, 'ours'))();
    (await own('ada', 1))();
    await settled();
    expect(told).toEqual(['other bob v1 theirs', 'own ada v1 ours', 'own ada v2 ']);
    expect(saw()).toBe(2);
    follower.stop();
  });

  it('reports an own commit once, even if it was read before the commit returned', async () => {
    const { follower, own, foreign, told, clock } = world();
    await follower.start(0);
    const answer = await own('ada', 0, 'ours');
    await foreign('bob', 0, 'theirs');
    await clock.advance(500);
    expect(told).toEqual(['other ada v1 ours', 'other bob v1 theirs']);
    answer();
    expect(told.slice(2)).toEqual(['other ada v1 ']);
    (await own('ada', 1, 'next'))();
    expect(told.slice(3)).toEqual(['own ada v2 next']);
    follower.stop();
  });

  it('finds commits and offers of others within half a second, across pages and from before', async () => {
    const { follower, foreign, other, told, clock } = world();
    await other.commit([commitOf(agentOf('old'), 0, { effects: [nudge('e0', 'old')] })]);
    await other.offerEffect('e0', { at: at(1), againAt: at(9), detail: '' });
    await follower.start(0);
    expect(told).toEqual(['offered e0 null']);
    for (let i = 0; i < 600; i += 1) await foreign('bob', i, `${i}`);
    await other.settleEffect('e0', { at: at(2), outcome: 'delivered', detail: '' });
    await clock.advance(500);
    expect(told).toHaveLength(602);
    expect([told[1], told[600], told[601]]).toEqual([
      'other bob v600 0',
      'other bob v600 599',
      'settled e0 delivered',
    ]);
    follower.stop();
  });

  it('resumes where it was after a store outage', async () => {
    const { store, follower, foreign, told, clock, failures } = world();
    await follower.start(0);
    await foreign('bob', 0, 'theirs');
    store.setHook(({ operation }) => {
      if (operation === 'loadMany') throw new Error('away');
    });
    await clock.advance(500);
    expect([told.length, failures.length]).toEqual([0, 1]);
    store.setHook(null);
    await clock.advance(500);
    expect(told).toEqual(['other bob v1 theirs']);
    follower.stop();
  });

  it('reads nothing when it has the store to itself', async () => {
    const { store, follower, own, told, clock } = world(false);
    store.setHook(({ operation, when }) => {
      if (when === 'before' && operation !== 'commit') throw new Error(operation);
    });
    await follower.start(0);
    (await own('ada', 0, 'one'))();
    await clock.advance(5_000);
    expect(told).toEqual(['own ada v1 one']);
    follower.stop();
  });
});
