import { ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Takes minutes from the task to the first call, each time: clone, install, index. */
export const slowStarter: Behaviour = {
  name: 'slow-starter',
  tells: 'minutes pass before its first call',
  profiles: [ownedProfile, remoteProfile],
  thinkMs: (agent) => {
    if (agent.memo === agent.taskCount) {
      return agent.random.lognormal(parameters.work.thinkMedianMs, parameters.work.thinkSigma);
    }
    agent.memo = agent.taskCount;
    return agent.random.lognormal(parameters.slowStart.medianMs, parameters.slowStart.sigma);
  },
};
