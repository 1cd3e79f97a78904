import { ownedProfile, remoteCriticalProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * Two agents come back under each other's name, as after a configuration that was mixed up: the same two
 * instances, each with the task it had, the other way round. Some time later it is noticed, and they swap again.
 */
export const swapper: Behaviour = {
  name: 'swapper',
  tells: 'comes back under the name of another',
  profiles: [remoteProfile, remoteCriticalProfile, ownedProfile],
  troubleEveryMs: parameters.swap.everyMs,
  trouble: (agent) => {
    const other = agent.env.findSimilar(agent);
    if (other !== null) return swap(agent, other);
    agent.isTroubled = false;
    agent.planTrouble();
  },
};

function swap(one: SimAgent, other: SimAgent): void {
  const [wasOne, wasOther] = [processOf(one), processOf(other)];
  comeBackAs(one, wasOther);
  comeBackAs(other, wasOne);
}

type Process = Pick<SimAgent, 'instanceId' | 'taskId' | 'taskUntil'>;

const processOf = ({ instanceId, taskId, taskUntil }: SimAgent): Process => ({
  instanceId,
  taskId,
  taskUntil,
});

function comeBackAs(agent: SimAgent, process: Process): void {
  const { backMinMs, backMaxMs } = parameters.selfRestart;
  agent.die(1);
  agent.boot(undefined, agent.random.between(backMinMs, backMaxMs));
  Object.assign(agent, process);
}
