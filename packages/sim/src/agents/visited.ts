import type { Decision, DurationMs } from '@holter/core';
import type { Behaviour } from './behaviour.ts';
import { farKit, ownedKit, remoteKit } from './agent-profile.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

const about = { by: 'visitor', reason: 'trying the buttons' };

/** What the page and the command line offer for an agent that nothing is wrong with. */
const VISITS: readonly ((agent: SimAgent) => void)[] = [
  (agent) => {
    const { pauseMaxMs } = parameters.visited;
    agent.ground.decideLater(agent, 0, { ...about, decision: 'pause' });
    agent.ground.decideLater(agent, agent.random.unit() * pauseMaxMs, { ...about, decision: 'resume' });
  },
  (agent) => agent.ground.decideLater(agent, 0, { ...about, decision: 'nudge' }),
  (agent) => agent.ground.decideLater(agent, 0, { ...about, decision: 'dismiss' }),
  (agent) => agent.ground.decideLater(agent, 0, { ...about, decision: 'acknowledge' }),
  (agent) => {
    const forMs = (30 * 60_000) as DurationMs;
    agent.ground.decideLater(agent, 0, { ...about, decision: 'allow_more_time', forMs });
    agent.ground.decideLater(agent, agent.random.unit() * forMs, { ...about, decision: 'wake' });
  },
  (agent) => {
    const { bringBackMinMs, bringBackMaxMs } = parameters.visited;
    agent.ground.decideLater(agent, 0, { ...about, decision: 'terminate' });
    // Whoever finds it stopped tries everything else as well; only one of these fits what is true then.
    const laterMs = agent.random.between(bringBackMinMs, bringBackMaxMs);
    const tries: readonly Decision['decision'][] = [
      'nudge',
      'pause',
      'resume',
      'wake',
      'terminate',
      'recover',
    ];
    for (const decision of tries)
      agent.ground.decideLater(agent, laterMs, { ...about, decision } as Decision);
    // Too late to leave it down: it is being started.
    agent.ground.decideLater(agent, laterMs + 300, { ...about, decision: 'dismiss' });
  },
];

/** A steady worker that somebody pauses, nudges, stops and brings back, without need. */
export const visited: Behaviour = {
  name: 'visited',
  tells: 'somebody tries every button on it',
  kits: [ownedKit, farKit, remoteKit],
  troubleEveryMs: parameters.visited.everyMs,
  trouble: (agent) => {
    agent.random.pick(VISITS)(agent);
    agent.isTroubled = false;
    agent.planTrouble();
  },
};
