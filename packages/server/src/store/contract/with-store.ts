import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../store.ts';
import type { Opened, OpenStore } from './kit.ts';

/** A fresh store for each test of the surrounding `describe`; `reopen` swaps it for a second opening. */
export function withStore(open: OpenStore): {
  readonly store: Store;
  readonly second: () => Promise<Store>;
  readonly reopen: () => Promise<void>;
} {
  let opened: Opened;
  let store: Store;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.dispose());
  return {
    get store() {
      return store;
    },
    second: () => opened.second(),
    reopen: async () => {
      store = await opened.reopen();
    },
  };
}
