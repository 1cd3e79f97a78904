import { HEALTH_RANK } from '@holter/core';
import type { AgentView } from '@holter/server/local';

/** Stuck, failing, or with an open incident: somebody should look. A single missed beat is not that. */
export const isWrong = ({ state, incident }: AgentView): boolean =>
  state === 'STUCK' || state === 'FAILING' || incident !== null;

/** Whoever needs a look comes first; those who have ended come last. */
export function worstFirst(agents: readonly AgentView[]): readonly AgentView[] {
  const rank = (agent: AgentView): number =>
    agent.state === 'TERMINATED' && !agent.incident
      ? -1
      : HEALTH_RANK[agent.state] + (agent.incident ? 10 : 0);
  return [...agents].sort((a, b) => rank(b) - rank(a) || (a.agentId < b.agentId ? -1 : 1));
}
