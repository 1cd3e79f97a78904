import { criticalProfile, farProfile, ownedProfile, pingedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Its process ends with an error in the middle of work. A successor works. */
export const crasher: Behaviour = {
  name: 'crasher',
  tells: 'its process dies',
  profiles: [ownedProfile, ownedProfile, criticalProfile, remoteProfile, pingedProfile, farProfile],
  troubleEveryMs: parameters.crash.everyMs,
  trouble: (agent) => {
    if (agent.random.chance(0.5)) agent.die(1);
    else agent.die(null, 'SIGKILL');
  },
};
