import type { SimAgent } from './sim-agent.ts';

/** The next one, by slots, of whom only the name tells that it is not this agent. */
export function findSimilarAgent(agent: SimAgent, all: Iterable<SimAgent>): SimAgent | null {
  let first: SimAgent | null = null;
  for (const other of all) {
    const isAlike = other !== agent && other.behaviour === agent.behaviour && other.profile === agent.profile;
    if (!isAlike || other.isTroubled || other.truth !== 'fine' || other.incarnation === 0) continue;
    if (other.slot > agent.slot) return other;
    first ??= other;
  }
  return first;
}
