/** The shell around the rules. */
export { openMemory } from './store/memory/index.ts';
export type * from './store/store.ts';
export { StoreUnavailable } from './store/store.ts';
