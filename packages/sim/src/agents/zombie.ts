import { farProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Beats on time and does no work: a background loop speaks for an agent that hangs. */
export const zombie: Behaviour = {
  name: 'zombie',
  tells: 'beats but does no work',
  profiles: [ownedProfile, ownedProfile, farProfile, remoteProfile],
  troubleEveryMs: parameters.zombie.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'hung';
    agent.isFlat = agent.random.chance(parameters.zombie.flatShare);
    agent.become('stuck');
  },
};
