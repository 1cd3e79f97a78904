import type { Store } from './store.ts';

export type Operation = keyof Store;

/** All operations by name, for stores that forward calls. */
const OPERATIONS = Object.keys({
  load: true,
  loadMany: true,
  commit: true,
  flushSoft: true,
  loadFleet: true,
  claimDue: true,
  nextWakeAt: true,
  listAgents: true,
  groupSize: true,
  countByHealth: true,
  claimEffects: true,
  renewEffects: true,
  addEffects: true,
  readEffect: true,
  settleEffect: true,
  retryEffect: true,
  offerEffect: true,
  listEffects: true,
  readEffectChanges: true,
  lastEffectChange: true,
  readEvents: true,
  lastCursor: true,
  putCheckpoint: true,
  listCheckpoints: true,
  readCheckpoint: true,
  deleteCheckpoints: true,
  putToken: true,
  findToken: true,
  listTokens: true,
  revokeToken: true,
  clock: true,
  getMeta: true,
  putMeta: true,
  swapMeta: true,
  listMeta: true,
  prune: true,
  removeEnded: true,
  rollups: true,
  stateTime: true,
  spending: true,
  putStripPage: true,
  stripPages: true,
  listFinalStates: true,
  putLetter: true,
  readLetter: true,
  listLetters: true,
  countLetters: true,
  countUnread: true,
  markLetters: true,
  deleteLetter: true,
  backup: true,
  inspect: true,
  check: true,
  close: true,
} satisfies Record<Operation, true>) as readonly Operation[];

export type Arguments<Op extends Operation> = Parameters<Store[Op]>;
export type Answer<Op extends Operation> = Awaited<ReturnType<Store[Op]>>;

/** A store that forwards every call to one function. */
export function storeFrom(
  call: <Op extends Operation>(operation: Op, args: Arguments<Op>) => Promise<unknown>,
): Store {
  const entries = OPERATIONS.map((operation) => [
    operation,
    (...args: Arguments<typeof operation>) => call(operation, args),
  ]);
  // The list is checked above to name every operation once.
  return Object.fromEntries(entries) as Store;
}
