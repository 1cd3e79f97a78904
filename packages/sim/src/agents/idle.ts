import type { Behaviour } from './behaviour.ts';
import { ownedKit, remoteKit, standbyKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Beats and has nothing to do; twice a day a small task. No calls and no tokens are healthy here. */
export const idle: Behaviour = {
  name: 'idle',
  tells: 'beats, mostly without work',
  kits: [standbyKit, standbyKit, remoteKit, ownedKit],
  troubleEveryMs: parameters.idle.taskEveryMs,
  begin: (agent) => {
    // A successor that inherited a task takes it up.
    if (agent.taskId !== null) agent.think();
  },
  trouble: (agent) => {
    agent.isTroubled = false;
    agent.planTrouble();
    if (agent.mind === 'idle') agent.takeTask(parameters.idle.taskMs);
  },
};
