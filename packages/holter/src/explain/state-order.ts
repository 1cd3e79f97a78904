import { HEALTH_RANK } from '@holter/core/health';
import type { AgentView } from '@holter/server/local';

/** One that has ended and is not to be brought back is a fact, not a problem. */
export const hasEnded = ({ end, incident }: AgentView): boolean => end !== null && incident === null;

/** As tables and sums show it. */
export const stateWord = (agent: AgentView): string => (hasEnded(agent) ? 'ended' : agent.state);

/** Needs attention. A single missed beat does not, nor does an incident that is about to close. */
export const isWrong = (agent: AgentView): boolean =>
  (agent.state === 'STUCK' || agent.state === 'FAILING') && !hasEnded(agent);

/** Waits for a person: a decision is asked for, or the agent itself asks. */
export const isWaitingForPerson = ({ needsYouSince }: AgentView): boolean => needsYouSince !== null;

/** Those who wait for a person first, then the worst; ended ones last. */
export function mostUrgentFirst(agents: readonly AgentView[]): readonly AgentView[] {
  const rank = (agent: AgentView): number => {
    if (hasEnded(agent)) return -1;
    const worst = agent.state === 'TERMINATED' ? 0 : HEALTH_RANK[agent.state];
    return (agent.incident && isWaitingForPerson(agent) ? 200 : 0) + worst * 10 + urgency(agent);
  };
  return [...agents].sort((a, b) => rank(b) - rank(a) || (a.agentId < b.agentId ? -1 : 1));
}

const urgency = (agent: AgentView): number => (agent.incident ? 2 : 0) + (isWaitingForPerson(agent) ? 1 : 0);
