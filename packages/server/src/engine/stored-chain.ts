import { type Checkpoint, type CheckpointChain, chooseCheckpoint, type Sha256 } from '@holter/core';
import type { CheckpointHead, Store } from '../store/store.ts';

/** How many checkpoints back to search. Recovering from an older one is hardly better than starting over. */
const SEARCHED_MAX = 100;

type Place = Pick<CheckpointChain, 'agentId' | 'taskId'> & {
  /** The newest checkpoint in the agent's record; a row left by a stale incarnation is not in the chain. */
  readonly headId: string | undefined;
};

type Checkpoints = Pick<Store, 'listCheckpoints' | 'readCheckpoint'>;

/**
 * An agent's chain as far as a choice looks at it: from the head to the first checkpoint that can be used. Contents
 * are megabytes, so they are read one at a time, and only that of the last is kept.
 */
export async function readChain(
  store: Checkpoints,
  { agentId, taskId, headId }: Place,
  sha256: Sha256,
): Promise<CheckpointChain> {
  const heads = await store.listCheckpoints(agentId, SEARCHED_MAX);
  const left = new Map(heads.map((head) => [head.checkpointId, head]));
  const checkpoints: Checkpoint[] = [];
  const visited = new Set<string>();
  const first = headId ?? heads[0]?.checkpointId ?? null;
  let id = first;
  while (id !== null && !visited.has(id)) {
    visited.add(id);
    const checkpoint = left.delete(id) ? await readOne(store, agentId, id) : null;
    if (!checkpoint) {
      id = newestOf([...left.values()]);
      continue;
    }
    const choice = chooseCheckpoint({ agentId, taskId, headId: id, checkpoints: [checkpoint] }, sha256);
    const isChosen = choice.kind === 'chosen';
    checkpoints.push(isChosen ? checkpoint : { ...checkpoint, content: null });
    id = isChosen ? null : checkpoint.parentId;
  }
  return { agentId, taskId, headId: first, checkpoints };
}

/** The newest checkpoints that a successor could start from, newest first, each found from the one before it. */
export async function readUsable(
  store: Checkpoints,
  place: Place,
  sha256: Sha256,
  countMax: number,
): Promise<readonly Pick<Checkpoint, 'checkpointId' | 'at'>[]> {
  const usable: Pick<Checkpoint, 'checkpointId' | 'at'>[] = [];
  let { headId } = place;
  while (usable.length < countMax) {
    const choice = chooseCheckpoint(await readChain(store, { ...place, headId }, sha256), sha256);
    if (choice.kind !== 'chosen') break;
    const { checkpointId, at, parentId } = choice.checkpoint;
    // A link that leads nowhere goes on with the newest, which may be one that was found already.
    if (usable.some((found) => found.checkpointId === checkpointId)) break;
    usable.push({ checkpointId, at });
    if (parentId === null) break;
    headId = parentId;
  }
  return usable;
}

/** Where a link leads nowhere, core goes on with the newest of the others. */
function newestOf(heads: readonly CheckpointHead[]): string | null {
  let newest: CheckpointHead | null = null;
  for (const head of heads) if (newest === null || head.at > newest.at) newest = head;
  return newest?.checkpointId ?? null;
}

/** A chain of the one checkpoint that a person picked. */
export async function readPicked(
  store: Checkpoints,
  { agentId, taskId }: Pick<CheckpointChain, 'agentId' | 'taskId'>,
  checkpointId: string,
): Promise<CheckpointChain> {
  const checkpoint = await readOne(store, agentId, checkpointId);
  return { agentId, taskId, headId: checkpointId, checkpoints: checkpoint ? [checkpoint] : [] };
}

async function readOne(store: Checkpoints, agentId: string, id: string): Promise<Checkpoint | null> {
  const stored = await store.readCheckpoint(agentId, id);
  return stored && { ...stored, content: JSON.parse(stored.content) as unknown };
}
