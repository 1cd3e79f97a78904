import { Act } from './agent-env.ts';
import { ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { leaveLoop, repeatLoop, startLoop } from './looping.ts';
import { parameters } from './parameters.ts';

/**
 * Deaf to nudges, and comes to its senses in the gap between the decision to stop it and the executor's
 * claim. The world picks that moment on purpose: it is the one in which a kill must be taken back.
 */
export const lastMinute: Behaviour = {
  name: 'last-minute',
  tells: 'recovers between verdict and kill',
  profiles: [ownedProfile],
  troubleEveryMs: parameters.loop.everyMs,
  isTroubleBetweenCalls: true,
  trouble: startLoop,
  own: repeatLoop,
  ordered: (agent, effect) => {
    if (effect.kind === 'terminate') agent.plan(0, Act.relief);
  },
  relief: leaveLoop,
};
