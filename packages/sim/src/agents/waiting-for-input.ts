import type { Behaviour } from './behaviour.ts';
import { Act } from './agent-env.ts';
import { ownedKit, remoteKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';

/** Asks a person and waits, for hours if need be, doing nothing at all: the person has the next move. */
export const waitingForInput: Behaviour = {
  name: 'waiting-for-input',
  tells: 'asks a person and waits',
  kits: [ownedKit, ownedKit, remoteKit],
  troubleEveryMs: parameters.waiting.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.mind = 'held';
    agent.isFlat = true;
    agent.ground.send(agent, { kind: 'hold-begun', hold: 'waiting-for-input' }, agent.freshId());
    agent.plan(agent.random.lognormal(parameters.waiting.medianMs, parameters.waiting.sigma), Act.relief);
  },
  relief: (agent) => {
    if (agent.mind !== 'held') return;
    agent.ground.send(agent, { kind: 'hold-ended', hold: 'waiting-for-input' }, agent.freshId());
    agent.resumeWork();
  },
};
