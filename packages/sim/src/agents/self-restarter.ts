import { remoteCriticalProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** A supervisor of its own brings it back under the same name before Holter has done anything. */
export const selfRestarter: Behaviour = {
  name: 'self-restarter',
  tells: 'dies and comes back by itself',
  profiles: [remoteProfile, remoteCriticalProfile],
  troubleEveryMs: parameters.selfRestart.everyMs,
  trouble: (agent) => {
    agent.die(1);
    // A boot under another life: the world lets it knock until the name is free.
    agent.boot(
      undefined,
      agent.random.between(parameters.selfRestart.backMinMs, parameters.selfRestart.backMaxMs),
    );
  },
};
