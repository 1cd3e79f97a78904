import type { CheckpointChain } from '@holter/core';
import type { Store } from '../store/store.ts';

/** How far back a start is looked for; older work is nearer to a new start than to a recovery. */
const SEARCHED_MAX = 100;

type Place = Pick<CheckpointChain, 'agentId' | 'taskId'> & {
  /** The newest that the agent's record knows: a row that a stale start left behind is not one. */
  readonly headId: string | undefined;
};

/** An agent's checkpoints as the core judges them. */
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
