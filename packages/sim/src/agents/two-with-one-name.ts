import { Act } from './agent-env.ts';
import { remoteCriticalProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * Somebody starts a second agent under the same name. While the first is heard, the second must be refused;
 * once the first has missed a beat, the second gets the name, and the first, which knows nothing of it, goes
 * on talking under a number that no longer counts.
 */
export const twoWithOneName: Behaviour = {
  name: 'two-with-one-name',
  tells: 'a second agent wants its name',
  profiles: [remoteProfile, remoteCriticalProfile],
  troubleEveryMs: parameters.twin.everyMs,
  trouble: (agent) => {
    agent.memo = parameters.twin.tries;
    // Half the time the elder is behind a cut network, and the younger wins in the end.
    agent.partition = agent.random.chance(0.5) ? 'both' : 'none';
    agent.plan(parameters.twin.retryMs, Act.own, 'knock');
  },
  own: (agent, data) => {
    if (data === 'knock') return knock(agent);
    const elder = data as { incarnation: number; until: number };
    agent.env.sendAs(agent, elder.incarnation, { kind: 'heartbeat', tokenCount: 7 });
    agent.env.sendAs(agent, elder.incarnation, { kind: 'activity' });
    if (agent.env.now < elder.until) agent.plan(agent.beatMs() / 2, Act.own, elder);
  },
};

function knock(agent: SimAgent): void {
  const elder = agent.incarnation;
  const isMine = agent.env.claimName(agent, `${agent.name}-younger-${agent.life}-${agent.env.now}`);
  if (isMine) {
    // From here on this agent is the younger one, with work of its own; the elder lingers.
    if (agent.activity === 'idle') agent.takeTask();
    agent.plan(1_000, Act.own, { incarnation: elder, until: agent.env.now + parameters.twin.lingerMs });
  } else if (agent.partition !== 'none' || --agent.memo > 0) {
    agent.plan(parameters.twin.retryMs, Act.own, 'knock');
    return;
  }
  agent.partition = 'none';
  agent.isTroubled = false;
  agent.env.truthChanged(agent);
  agent.planTrouble();
}
