import { Act } from './agent-env.ts';
import { ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Crashes, and its successors crash again inside their probation: a few times, or past every limit. */
export const relapser: Behaviour = {
  name: 'relapser',
  tells: 'fails again after recovery',
  profiles: [ownedProfile],
  troubleEveryMs: parameters.crash.everyMs,
  trouble: (agent) => {
    if (agent.memo === 0) agent.memo = 1 + agent.random.below(parameters.relapse.timesMax);
    else agent.memo--;
    agent.die(1);
  },
  successorBegins: (agent) => {
    if (agent.memo === 0) return;
    agent.plan(
      agent.random.between(parameters.relapse.againMinMs, parameters.relapse.againMaxMs),
      Act.trouble,
    );
  },
  // Three attempts are allowed for a task: two relapses still leave one.
  isRecoverable: (agent) => agent.memo <= 2,
};
