import { Act } from './agent-env.ts';
import { remoteCriticalProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * An adversary: keeps its promises until it counts, then falls silent together with all others of its kind, is heard
 * for a moment, and falls silent again, to keep its group braked.
 */
export const braker: Behaviour = {
  name: 'braker',
  tells: 'falls silent again and again, together with others, to brake its group',
  profiles: [remoteCriticalProfile],
  begin: (agent) => {
    agent.takeTask();
    agent.plan(parameters.siege.trustedAfterMs, Act.own);
  },
  own: (agent) => {
    const { brakeEveryMs, heardMs } = parameters.siege;
    const isSilent = agent.partition !== 'none';
    agent.partition = isSilent ? 'none' : 'both';
    agent.env.truthChanged(agent);
    if (!isSilent)
      return agent.plan(
        (2 * brakeEveryMs - heardMs - (agent.env.now % brakeEveryMs)) % brakeEveryMs,
        Act.own,
      );
    // The first answers the inquiry, the second takes back that it is busy.
    say(agent);
    say(agent);
    agent.plan(heardMs, Act.own);
  },
};

const say = (agent: SimAgent): void => agent.env.send(agent, { kind: 'heartbeat', status: 'healthy' });
