import { Act } from './agent-env.ts';
import { genericProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** A command that knows nothing of Holter: says nothing for hours, may even sleep, and ends with a code. */
export const quietCommand: Behaviour = {
  name: 'quiet-command',
  tells: 'promised only a process',
  profiles: [genericProfile],
  begin: (agent) => {
    agent.activity = 'thinking';
    agent.isFlat = agent.random.chance(0.3);
    agent.plan(
      agent.random.lognormal(parameters.generic.runMedianMs, parameters.generic.runSigma),
      Act.relief,
    );
  },
  relief: (agent) => agent.die(agent.random.chance(parameters.generic.crashShare) ? 1 : 0),
};
