import { ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { repeatLoop, startLoop } from './looping.ts';
import { parameters } from './parameters.ts';

/** Loops, reads every nudge, and changes nothing. */
export const deaf: Behaviour = {
  name: 'deaf',
  tells: 'reads nudges and loops on',
  profiles: [ownedProfile, ownedProfile, remoteProfile],
  troubleEveryMs: parameters.loop.everyMs,
  isTroubleBetweenCalls: true,
  trouble: startLoop,
  own: repeatLoop,
};
