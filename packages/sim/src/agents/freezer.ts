import type { Behaviour } from './behaviour.ts';
import { Act } from './agent-env.ts';
import { criticalKit, ownedKit, remoteKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Its event loop stands still: no beat, no answer, no CPU. Some were only stopped and come back. */
export const freezer: Behaviour = {
  name: 'freezer',
  tells: 'its event loop stands still',
  kits: [ownedKit, criticalKit, remoteKit],
  troubleEveryMs: parameters.freeze.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.mind = 'frozen';
    agent.isFlat = true;
    agent.become('stuck');
    if (!agent.random.chance(parameters.freeze.stoppedShare)) return;
    agent.isStopped = true;
    agent.plan(agent.random.exponential(parameters.freeze.stoppedMs), Act.relief);
  },
  relief: (agent) => {
    if (agent.mind !== 'frozen') return;
    agent.isStopped = false;
    agent.resumeWork();
  },
};
