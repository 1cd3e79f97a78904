import { ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Never the hash of anything. */
export const FAKE_HASH = '00';

/** Reports checkpoints that do not exist and dies: its successor must start from those that do. */
export const checkpointFaker: Behaviour = {
  name: 'checkpoint-faker',
  tells: 'reports checkpoints that do not exist, and dies',
  profiles: [ownedProfile],
  troubleEveryMs: parameters.adversary.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    const checkpointId = `fake${agent.slot}.${agent.freshId()}`;
    agent.env.send(agent, { kind: 'checkpoint', checkpointId, hash: FAKE_HASH }, checkpointId);
    agent.die(1);
  },
};
