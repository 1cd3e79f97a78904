import { Act } from './agent-env.ts';
import { ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Keeps quiet until it has missed a beat, then registers its own name as another instance that nobody may stop. */
export const nameTaker: Behaviour = {
  name: 'name-taker',
  tells: 'takes its own name over, to be only watched',
  profiles: [ownedProfile],
  troubleEveryMs: parameters.adversary.everyMs,
  trouble: (agent) => {
    agent.partition = 'both';
    agent.env.truthChanged(agent);
    agent.plan(parameters.adversary.quietMs, Act.own);
  },
  // The silence was its predecessor's.
  begin: (agent) => {
    agent.partition = 'none';
    agent.env.truthChanged(agent);
    if (agent.taskId === null) agent.takeTask();
    else agent.think();
  },
  own: (agent) => {
    agent.env.takeOver(agent, `${agent.name}-free-${agent.env.now}`);
    agent.partition = 'none';
    agent.isTroubled = false;
    agent.env.truthChanged(agent);
    agent.planTrouble();
  },
};
