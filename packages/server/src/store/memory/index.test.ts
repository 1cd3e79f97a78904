import { describe, expect, it } from 'vitest';
import { agentOf, at, commitOf, committed, dueIds, nudge } from '../contract/kit.ts';
import { storeContract } from '../contract/store-contract.ts';
import { StoreUnavailable } from '../store.ts';
import { openMemory } from './index.ts';

storeContract('memory', async () => {
  const store = openMemory();
  return {
    store,
    second: async () => store.beside(),
    reopen: async () => {
      await store.close();
      return openMemory({ from: store.snapshot() });
    },
    dispose: () => store.close(),
  };
});

describe('faults of the memory store', () => {
  const diskFull = () => new StoreUnavailable('disk_full', 'no space left');

  it('a fault before the operation leaves nothing behind', async () => {
    const store = openMemory({
      hook: ({ when, operation }) => {
        if (when === 'before' && operation === 'commit') throw diskFull();
      },
    });
    await expect(store.commit([commitOf(agentOf('ada'), 0)])).rejects.toThrow(StoreUnavailable);
    store.setHook(null);
    expect(await store.load('ada')).toBeNull();
  });

  it('a fault after the operation loses only the answer', async () => {
    const store = openMemory({
      hook: ({ when, operation }) => {
        if (when === 'after' && operation === 'commit') throw diskFull();
      },
    });
    await expect(store.commit([commitOf(agentOf('ada'), 0)])).rejects.toThrow('no space left');
    expect(await store.load('ada')).toMatchObject({ version: 1 });
  });

  it('a hook may delay an operation', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store = openMemory({ hook: ({ operation }) => (operation === 'commit' ? gate : undefined) });
    const pending = store.commit([commitOf(agentOf('ada'), 0)]);
    expect(await store.load('ada')).toBeNull();
    release();
    await pending;
    expect(await store.load('ada')).toMatchObject({ version: 1 });
  });

  it('restores a snapshot any number of times', async () => {
    const store = openMemory();
    await committed(store, commitOf(agentOf('ada', { wakeAt: at(5) }), 0, { effects: [nudge('e', 'ada')] }));
    const snapshot = store.snapshot();
    for (let round = 0; round < 2; round += 1) {
      await committed(store, commitOf(agentOf('ada', { wakeAt: at(9) }), 1));
      await committed(store, commitOf(agentOf('bob', { wakeAt: at(1) }), 0));
      await store.settleEffect('e', { at: at(1), outcome: 'done', detail: '' });
      await store.close();
      store.restore(snapshot);
      expect(await dueIds(store, 9)).toEqual(['ada']);
      expect(await store.nextWakeAt()).toBe(at(5));
      expect((await store.groupSize('default')).size).toBe(1);
      expect(await store.listEffects({ status: 'pending', limit: 9 })).toHaveLength(1);
    }
  });
});
