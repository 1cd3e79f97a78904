import { Act } from './agent-env.ts';
import { farProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { leaveLoop, repeatLoop, startLoop } from './looping.ts';
import { parameters } from './parameters.ts';

/** Hangs or loops until somebody says a word, then works on. */
export const curedByNudge: Behaviour = {
  name: 'cured-by-nudge',
  tells: 'needs one word to go on',
  profiles: [ownedProfile, farProfile, remoteProfile],
  troubleEveryMs: parameters.loop.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    if (agent.random.chance(0.5)) return startLoop(agent);
    agent.activity = 'hung';
    agent.become('stuck');
  },
  own: repeatLoop,
  nudged: (agent) => {
    if (agent.truth !== 'stuck') return;
    agent.plan(agent.random.between(parameters.nudge.cureMinMs, parameters.nudge.cureMaxMs), Act.relief);
  },
  relief: (agent) => {
    if (agent.activity === 'looping') leaveLoop(agent);
    else if (agent.activity === 'hung') agent.resumeWork();
  },
};
