import type { Behaviour } from './behaviour.ts';
import { farKit, ownedKit, remoteKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Beats on time and does no work: a background loop speaks for an agent that hangs. */
export const zombie: Behaviour = {
  name: 'zombie',
  tells: 'beats but does no work',
  kits: [ownedKit, ownedKit, farKit, remoteKit],
  troubleEveryMs: parameters.zombie.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.mind = 'hung';
    agent.isFlat = agent.random.chance(parameters.zombie.flatShare);
    agent.become('stuck');
  },
};
