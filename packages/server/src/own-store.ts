/**
 * What a program needs that keeps a small store of its own beside the server's: the store, and a lock for its folder.
 * It loads neither HTTP nor the engine.
 */

export { metaJson, readMetaJson } from './store/meta-json.ts';
export { openSqlite } from './store/sqlite/index.ts';
export { acquireLock, lockHolder } from './store/sqlite/lock.ts';
export type { ClaimedEffect, Store, StoredEvent } from './store/store.ts';
