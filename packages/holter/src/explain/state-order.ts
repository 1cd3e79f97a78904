import { HEALTH_RANK } from '@holter/core';
import type { AgentView } from '@holter/server/local';

/** Needs attention. A single missed beat does not, nor does an incident that is about to close. */
export const isWrong = ({ state }: AgentView): boolean => state === 'STUCK' || state === 'FAILING';

/** Agents that need attention first, ended ones last. */
export function worstFirst(agents: readonly AgentView[]): readonly AgentView[] {
  const rank = ({ state, incident }: AgentView): number =>
    (state === 'TERMINATED' ? -1 : HEALTH_RANK[state]) * 2 + (incident ? 1 : 0);
  return [...agents].sort((a, b) => rank(b) - rank(a) || (a.agentId < b.agentId ? -1 : 1));
}
