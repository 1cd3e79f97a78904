import { Act } from './agent-env.ts';
import { farProfile, pingedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import { PARTITIONS } from './partition.ts';

/** Works all the time, but for a while nothing gets through in one direction or both. It must outlive that. */
export const partitioned: Behaviour = {
  name: 'partitioned',
  tells: 'works behind a cut network',
  profiles: [farProfile, farProfile, remoteProfile, pingedProfile],
  troubleEveryMs: parameters.partition.everyMs,
  trouble: (agent) => {
    agent.partition = agent.random.pick(PARTITIONS);
    agent.env.truthChanged(agent);
    agent.plan(agent.random.between(parameters.partition.minMs, parameters.partition.maxMs), Act.relief);
  },
  relief: (agent) => {
    agent.partition = 'none';
    agent.isTroubled = false;
    agent.env.truthChanged(agent);
    agent.planTrouble();
  },
};
