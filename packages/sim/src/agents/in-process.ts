import type { Behaviour } from './behaviour.ts';
import { Act } from './agent-env.ts';
import { inProcessKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Lives inside another program, beats every two seconds, and sometimes blocks the loop it shares. */
export const inProcess: Behaviour = {
  name: 'in-process',
  tells: 'beats every two seconds',
  kits: [inProcessKit],
  troubleEveryMs: parameters.inProcess.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.mind = 'frozen';
    agent.become('stuck');
    agent.plan(
      agent.random.between(parameters.inProcess.blockMinMs, parameters.inProcess.blockMaxMs),
      Act.relief,
    );
  },
  relief: (agent) => {
    if (agent.mind === 'frozen') agent.resumeWork();
  },
};
