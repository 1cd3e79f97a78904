import type { Behaviour } from './behaviour.ts';
import { ownedKit, remoteKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Takes minutes from the task to the first call, each time: clone, install, index. */
export const slowStarter: Behaviour = {
  name: 'slow-starter',
  tells: 'minutes pass before its first call',
  kits: [ownedKit, remoteKit],
  thinkMs: (agent) => {
    if (agent.memo === agent.taskCount) {
      return agent.random.lognormal(parameters.work.thinkMedianMs, parameters.work.thinkSigma);
    }
    agent.memo = agent.taskCount;
    return agent.random.lognormal(parameters.slowStart.medianMs, parameters.slowStart.sigma);
  },
};
