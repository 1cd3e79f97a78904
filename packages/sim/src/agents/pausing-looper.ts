import { Act } from './agent-env.ts';
import { ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { leaveLoop, repeatLoop, startLoop } from './looping.ts';
import { parameters } from './parameters.ts';

/**
 * Stops looping when it is nudged, behaves for a quarter of an hour, and loops again. A monitor that forgets
 * what it tried would nudge it politely for ever.
 */
export const pausingLooper: Behaviour = {
  name: 'pausing-looper',
  tells: 'loops again after each nudge',
  profiles: [ownedProfile, remoteProfile],
  troubleEveryMs: parameters.loop.everyMs,
  isTroubleBetweenCalls: true,
  trouble: startLoop,
  own: (agent, data) => {
    if (data !== 'again') repeatLoop(agent, data);
    else if (agent.activity === 'thinking' || agent.activity === 'idle') startLoop(agent);
    else agent.plan(20_000, Act.own, 'again');
  },
  nudged: (agent) => {
    if (agent.activity !== 'looping') return;
    const { pauseMinMs, pauseMaxMs } = parameters.pausingLoop;
    agent.plan(agent.random.between(parameters.nudge.cureMinMs, parameters.nudge.cureMaxMs), Act.relief);
    agent.plan(agent.random.between(pauseMinMs, pauseMaxMs), Act.own, 'again');
  },
  relief: leaveLoop,
};
