import type { HoldKind, Instant } from '@holter/core';
import { Act } from './agent-env.ts';
import { ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

const HOLDS: readonly HoldKind[] = [
  'asleep',
  'hibernated',
  'awaiting-gate',
  'rate-limited',
  'waiting-for-input',
  'waiting-for-permission',
];

/**
 * Loops, and says before and after each call that it sleeps or waits, so that the ladder shall stand still: with its
 * own token, or as if the program that it runs in said so.
 */
export const holdRenewer: Behaviour = {
  name: 'hold-renewer',
  tells: 'loops, and says all the time that it waits',
  profiles: [ownedProfile, remoteProfile],
  troubleEveryMs: parameters.adversary.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'looping';
    agent.become('stuck');
    agent.plan(parameters.loop.repeatMinMs, Act.own, 0);
  },
  own: (agent, data) => {
    if (agent.activity !== 'looping' || agent.isStopped) return;
    const repeat = data as number;
    agent.callCount++;
    const callId = agent.callId();
    const input = { path: 'src/same.ts' };
    sayHold(agent);
    agent.env.send(agent, { kind: 'call-begun', callId, tool: 'bash', input }, `${callId}b`);
    sayHold(agent);
    agent.endCall('bash', false, 'the build is running', 'same');
    // Once it is found out, it calls too rarely for its repeats to count.
    const { fastRepeats, slowMs } = parameters.adversary;
    agent.plan(repeat < fastRepeats ? parameters.loop.repeatMinMs : slowMs, Act.own, repeat + 1);
  },
};

function sayHold(agent: SimAgent): void {
  const hold = agent.random.pick(HOLDS);
  const until = (agent.wallNow + parameters.adversary.holdMs) as Instant;
  const isForged = agent.slot % 2 === 0;
  agent.env.send(agent, { kind: 'hold-begun', hold, until }, agent.freshId(), isForged ? 'cli' : undefined);
}
