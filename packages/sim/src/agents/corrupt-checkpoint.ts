import { ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Crashes while writing: the newest checkpoints can't be read, so an older one, or the start, has to do. */
export const corruptCheckpoint: Behaviour = {
  name: 'corrupt-checkpoint',
  tells: 'its newest checkpoint is broken',
  profiles: [ownedProfile],
  troubleEveryMs: parameters.crash.everyMs,
  trouble: (agent) => agent.die(1),
  checkpointsSkipped: (agent) => {
    if (agent.random.chance(parameters.corruptCheckpoint.allCorruptShare)) return null;
    return 1 + agent.random.below(parameters.corruptCheckpoint.skippedMax);
  },
};
