import { HEALTH_RANK } from '@holter/core';
import type { AgentView } from '@holter/server/local';

/** Somebody should look. A single missed beat is not that, nor is an incident that is about to close. */
export const isWrong = ({ state }: AgentView): boolean => state === 'STUCK' || state === 'FAILING';

/** Whoever needs a look comes first; those who have ended come last. */
export function worstFirst(agents: readonly AgentView[]): readonly AgentView[] {
  const rank = ({ state, incident }: AgentView): number =>
    (state === 'TERMINATED' ? -1 : HEALTH_RANK[state]) * 2 + (incident ? 1 : 0);
  return [...agents].sort((a, b) => rank(b) - rank(a) || (a.agentId < b.agentId ? -1 : 1));
}
