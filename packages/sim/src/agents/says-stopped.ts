import { ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Says that it has stopped, and works on: its process is looked at, so the word must end nothing. */
export const saysStopped: Behaviour = {
  name: 'says-stopped',
  tells: 'says that it has stopped, and goes on',
  profiles: [ownedProfile],
  troubleEveryMs: parameters.adversary.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.env.send(agent, { kind: 'stopped', reason: 'done for today' }, agent.freshId());
    agent.isTroubled = false;
    agent.planTrouble();
    agent.beginCall('bash');
  },
};
