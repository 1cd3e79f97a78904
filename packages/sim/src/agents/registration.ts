import type { Registration } from '@holter/core';
import type { SimAgent } from './sim-agent.ts';

/** What an agent says when it comes up. */
export function registrationOf(agent: SimAgent, instanceId: string): Registration {
  const { kit, taskId, spawnKey } = agent;
  return {
    agentId: agent.name,
    instanceId,
    role: kit.role,
    group: agent.group,
    mode: kit.mode,
    promises: kit.promises,
    can: kit.can,
    executor: agent.executor,
    ...(taskId !== null && { taskId }),
    ...(spawnKey !== undefined && { spawnKey }),
  };
}
