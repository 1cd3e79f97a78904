import { leanProfile, meteredProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/**
 * Works, and one day takes more than its operator allows: a context that costs a fortune, or memory that is
 * never given back. It goes on working; that it must not is the operator's word, not its own trouble.
 */
export const spender: Behaviour = {
  name: 'spender',
  tells: 'takes more than its operator allows',
  profiles: [meteredProfile, leanProfile],
  troubleEveryMs: parameters.spender.everyMs,
  trouble: (agent) => {
    if (agent.profile === meteredProfile) agent.tokens += parameters.spender.tokens;
    else agent.memoryBytes = parameters.spender.memoryBytes;
    agent.become('stuck');
  },
};
