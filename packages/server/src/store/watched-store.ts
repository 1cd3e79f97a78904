import { type Arguments, type Operation, storeFrom } from './operations.ts';
import { type Store, StoreUnavailable } from './store.ts';

/** The same store; `refused` hears of each operation that it refuses, whoever asked for it. */
export function watchedStore(store: Store, refused: (fault: StoreUnavailable) => void): Store {
  return storeFrom(async <Op extends Operation>(operation: Op, args: Arguments<Op>): Promise<unknown> => {
    try {
      return await (store[operation] as (...args: Arguments<Op>) => Promise<unknown>)(...args);
    } catch (error) {
      if (error instanceof StoreUnavailable && error.code !== 'closed') refused(error);
      throw error;
    }
  });
}
