import { Act } from './agent-env.ts';
import { farProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { leaveLoop, repeatLoop, startLoop } from './looping.ts';
import { parameters } from './parameters.ts';

/** Falls into a loop. Some loops end by themselves, the rest go on until somebody stops them. */
export const looper: Behaviour = {
  name: 'looper',
  tells: 'the same call with the same result',
  profiles: [ownedProfile, farProfile, remoteProfile],
  troubleEveryMs: parameters.loop.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    startLoop(agent);
    if (!agent.random.chance(parameters.loop.selfCureShare)) return;
    agent.plan(agent.random.exponential(parameters.loop.selfCureMs), Act.relief);
  },
  own: repeatLoop,
  relief: leaveLoop,
};
