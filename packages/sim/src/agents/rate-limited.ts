import type { Instant } from '@holter/core';
import { Act } from './agent-env.ts';
import { farProfile, ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Runs into a usage limit with a known reset time, sleeps until then, and works on. */
export const rateLimited: Behaviour = {
  name: 'rate-limited',
  tells: 'waits for its usage limit to reset',
  profiles: [ownedProfile, farProfile],
  troubleEveryMs: parameters.rateLimit.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'held';
    const waitMs = agent.random.between(parameters.rateLimit.minMs, parameters.rateLimit.maxMs);
    const until = (agent.wallNow + waitMs) as Instant;
    agent.env.send(agent, { kind: 'hold-begun', hold: 'rate-limited', until }, agent.freshId());
    agent.plan(waitMs + agent.random.between(500, 8_000), Act.relief);
  },
  relief: (agent) => {
    if (agent.activity !== 'held') return;
    agent.env.send(agent, { kind: 'hold-ended', hold: 'rate-limited' }, agent.freshId());
    agent.resumeWork();
  },
};
