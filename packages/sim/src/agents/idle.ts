import { ownedProfile, remoteProfile, standbyProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Beats and has nothing to do; twice a day a small task. No calls and no tokens are healthy here. */
export const idle: Behaviour = {
  name: 'idle',
  tells: 'beats, mostly without work',
  profiles: [standbyProfile, standbyProfile, remoteProfile, ownedProfile],
  troubleEveryMs: parameters.idle.taskEveryMs,
  begin: (agent) => {
    // A successor that inherited a task takes it up.
    if (agent.taskId !== null) agent.think();
  },
  trouble: (agent) => {
    agent.isTroubled = false;
    agent.planTrouble();
    if (agent.activity === 'idle') agent.takeTask(parameters.idle.taskMs);
  },
};
