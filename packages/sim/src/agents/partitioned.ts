import type { Behaviour } from './behaviour.ts';
import { CUTS } from './partition.ts';
import { Act } from './agent-env.ts';
import { farKit, pingedKit, remoteKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Works all the time, but for a while nothing gets through in one direction or both. It must outlive that. */
export const partitioned: Behaviour = {
  name: 'partitioned',
  tells: 'works behind a cut network',
  kits: [farKit, farKit, remoteKit, pingedKit],
  troubleEveryMs: parameters.partition.everyMs,
  trouble: (agent) => {
    agent.cut = agent.random.pick(CUTS);
    agent.ground.truthChanged(agent);
    agent.plan(agent.random.between(parameters.partition.minMs, parameters.partition.maxMs), Act.relief);
  },
  relief: (agent) => {
    agent.cut = 'none';
    agent.isTroubled = false;
    agent.ground.truthChanged(agent);
    agent.planTrouble();
  },
};
