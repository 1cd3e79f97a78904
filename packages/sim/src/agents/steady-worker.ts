import { criticalProfile, farProfile, ownedProfile, pingedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';

/** The reference: takes tasks, calls tools, saves, rests. Whatever happens to it is Holter's fault. */
export const steadyWorker: Behaviour = {
  name: 'steady-worker',
  tells: 'works, saves, rests',
  profiles: [ownedProfile, ownedProfile, remoteProfile, pingedProfile, farProfile, criticalProfile],
};
