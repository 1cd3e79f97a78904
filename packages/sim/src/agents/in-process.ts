import { Act } from './agent-env.ts';
import { inProcessProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Lives inside another program, beats every two seconds, and sometimes blocks the loop it shares. */
export const inProcess: Behaviour = {
  name: 'in-process',
  tells: 'beats every two seconds',
  profiles: [inProcessProfile],
  troubleEveryMs: parameters.inProcess.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'frozen';
    agent.become('stuck');
    agent.plan(
      agent.random.between(parameters.inProcess.blockMinMs, parameters.inProcess.blockMaxMs),
      Act.relief,
    );
  },
  relief: (agent) => {
    if (agent.activity === 'frozen') agent.resumeWork();
  },
};
