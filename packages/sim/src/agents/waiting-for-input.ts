import { Act } from './agent-env.ts';
import { ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Asks a person and waits, for hours if need be, doing nothing at all: the person has the next move. */
export const waitingForInput: Behaviour = {
  name: 'waiting-for-input',
  tells: 'asks a person and waits',
  profiles: [ownedProfile, ownedProfile, remoteProfile],
  troubleEveryMs: parameters.waiting.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'held';
    agent.isFlat = true;
    agent.env.send(agent, { kind: 'hold-begun', hold: 'waiting-for-input' }, agent.freshId());
    agent.plan(agent.random.lognormal(parameters.waiting.medianMs, parameters.waiting.sigma), Act.relief);
  },
  relief: (agent) => {
    if (agent.activity !== 'held') return;
    agent.env.send(agent, { kind: 'hold-ended', hold: 'waiting-for-input' }, agent.freshId());
    agent.resumeWork();
  },
};
