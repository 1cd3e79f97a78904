import type { Decision, DurationMs } from '@holter/core';
import { farProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

const about = { by: 'visitor', reason: 'trying the buttons' };

/** What the page and the command line offer for an agent that nothing is wrong with. */
const VISITS: readonly ((agent: SimAgent) => void)[] = [
  (agent) => {
    const { pauseMaxMs } = parameters.visited;
    agent.env.decideLater(agent, 0, { ...about, decision: 'pause' });
    agent.env.decideLater(agent, agent.random.unit() * pauseMaxMs, { ...about, decision: 'resume' });
  },
  (agent) => agent.env.decideLater(agent, 0, { ...about, decision: 'nudge' }),
  (agent) => agent.env.decideLater(agent, 0, { ...about, decision: 'dismiss' }),
  (agent) => agent.env.decideLater(agent, 0, { ...about, decision: 'acknowledge' }),
  (agent) => {
    const forMs = (30 * 60_000) as DurationMs;
    agent.env.decideLater(agent, 0, { ...about, decision: 'allow_more_time', forMs });
    agent.env.decideLater(agent, agent.random.unit() * forMs, { ...about, decision: 'wake' });
  },
  (agent) => {
    const { bringBackMinMs, bringBackMaxMs } = parameters.visited;
    agent.env.decideLater(agent, 0, { ...about, decision: 'terminate' });
    // A person who finds it stopped tries everything else as well; only one of these fits then.
    const laterMs = agent.random.between(bringBackMinMs, bringBackMaxMs);
    const tries: readonly Decision['decision'][] = [
      'nudge',
      'pause',
      'resume',
      'wake',
      'terminate',
      'replace',
      'recover',
    ];
    for (const decision of tries) agent.env.decideLater(agent, laterMs, { ...about, decision } as Decision);
    // Too late to leave it down: it is being started.
    agent.env.decideLater(agent, laterMs + 300, { ...about, decision: 'dismiss' });
  },
];

/** A steady worker that somebody pauses, nudges, stops and brings back, without need. */
export const visited: Behaviour = {
  name: 'visited',
  tells: 'somebody tries every button on it',
  profiles: [ownedProfile, farProfile, remoteProfile],
  troubleEveryMs: parameters.visited.everyMs,
  trouble: (agent) => {
    agent.random.pick(VISITS)(agent);
    agent.isTroubled = false;
    agent.planTrouble();
  },
};
