import type { Registration } from '@holter/core';
import type { SimAgent } from './sim-agent.ts';

/** The instance of a stranger who wants the name of an agent. */
export const THIEF = 'thief';

/** What an agent says when it comes up. */
export function registrationOf(agent: SimAgent, instanceId: string): Registration {
  const { profile, taskId } = agent;
  const { returnsAs } = agent.behaviour;
  const spawnKey = instanceId === agent.instanceId ? agent.spawnKey : undefined;
  return {
    agentId: agent.name,
    instanceId,
    role: profile.role,
    group: agent.group,
    mode: profile.mode,
    promises: profile.promises,
    can: profile.can,
    executor: agent.executor,
    ...(taskId !== null && { taskId }),
    ...(spawnKey !== undefined && { spawnKey }),
    ...(returnsAs && agent.life > 1 && { ...returnsAs, source: 'agent' as const }),
  };
}
