import { farProfile, ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** One tool call in between runs for half an hour; hooks are silent all that time. */
export const longTool: Behaviour = {
  name: 'long-tool',
  tells: 'one tool runs for half an hour',
  profiles: [ownedProfile, farProfile],
  troubleEveryMs: parameters.longTool.everyMs,
  toolMs: (agent) => {
    if (!agent.isTroubled)
      return agent.random.lognormal(parameters.work.toolMedianMs, parameters.work.toolSigma);
    agent.isTroubled = false;
    agent.planTrouble();
    return agent.random.lognormal(parameters.longTool.medianMs, parameters.longTool.sigma);
  },
};
