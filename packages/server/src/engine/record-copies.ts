import type { Agent } from '@holter/core';
import { maxSoft } from '../store/facts.ts';
import type { StoredAgent } from '../store/store.ts';

export const isSameRecord = (ours: StoredAgent, theirs: StoredAgent): boolean =>
  ours.version === theirs.version && JSON.stringify(ours.agent.hard) === JSON.stringify(theirs.agent.hard);

/** Soft facts from the last second may not have been flushed, so the ones in memory are kept. */
export function withNewerSoft(loaded: StoredAgent, known: Agent): StoredAgent {
  return { ...loaded, agent: withSoftOf(loaded.agent, known) };
}

/** Merges in the soft facts of another copy of the same incarnation. */
export function withSoftOf(agent: Agent, other: Agent): Agent {
  if (agent.hard.incarnation !== other.hard.incarnation) return agent;
  return { ...agent, soft: maxSoft(agent.soft, other.soft) };
}
