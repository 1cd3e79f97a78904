import type { CheckpointChain } from '@holter/core';
import type { Store } from '../store/store.ts';

/** How many checkpoints back to search. Recovering from an older one is hardly better than starting over. */
const SEARCHED_MAX = 100;

type Place = Pick<CheckpointChain, 'agentId' | 'taskId'> & {
  /** The newest checkpoint in the agent's record; a row left by a stale incarnation is not in the chain. */
  readonly headId: string | undefined;
};

/** An agent's checkpoints in the form that core validates. */
export async function readChain(
  store: Pick<Store, 'listCheckpoints'>,
  { agentId, taskId, headId }: Place,
): Promise<CheckpointChain> {
  const stored = await store.listCheckpoints(agentId, SEARCHED_MAX);
  const checkpoints = stored.map(({ content, ...rest }) => ({
    ...rest,
    content: JSON.parse(content) as unknown,
  }));
  return { agentId, taskId, headId: headId ?? checkpoints[0]?.checkpointId ?? null, checkpoints };
}
