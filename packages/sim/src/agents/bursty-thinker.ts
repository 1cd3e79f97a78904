import { farProfile, ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Works like the steady worker, with model calls whose tail is not cut: now and then one takes half an hour. */
export const burstyThinker: Behaviour = {
  name: 'bursty-thinker',
  tells: 'model calls with a heavy tail',
  profiles: [ownedProfile, farProfile],
  thinkMs: (agent) => agent.random.lognormal(parameters.thinker.thinkMedianMs, parameters.thinker.thinkSigma),
};
