import { Act } from './agent-env.ts';
import { criticalProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Its event loop stands still: no beat, no answer, no CPU. Some were only stopped and come back. */
export const freezer: Behaviour = {
  name: 'freezer',
  tells: 'its event loop stands still',
  profiles: [ownedProfile, criticalProfile, remoteProfile],
  troubleEveryMs: parameters.freeze.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'frozen';
    agent.isFlat = true;
    agent.become('stuck');
    if (!agent.random.chance(parameters.freeze.stoppedShare)) return;
    agent.isStopped = true;
    agent.plan(agent.random.exponential(parameters.freeze.stoppedMs), Act.relief);
  },
  relief: (agent) => {
    if (agent.activity !== 'frozen') return;
    agent.isStopped = false;
    agent.resumeWork();
  },
};
