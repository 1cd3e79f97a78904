import { Act } from './agent-env.ts';
import { criticalProfile, farProfile, pingedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { acknowledgeLetter, deliverLetter, PRIORITIES } from './letters.ts';
import { parameters } from './parameters.ts';

/** Works and is heard, and acknowledges its letters when it finds the time: it is busy, and nothing else. */
export const lateReader: Behaviour = {
  name: 'late-reader',
  tells: 'acknowledges its letters late',
  profiles: [farProfile, remoteProfile, pingedProfile, criticalProfile],
  troubleEveryMs: parameters.letters.everyMs,
  trouble: (agent) => {
    const name = agent.freshId();
    deliverLetter(agent, name, agent.random.pick(PRIORITIES));
    agent.plan(agent.random.between(0, parameters.letters.readMaxMs), Act.own, name);
    agent.isTroubled = false;
    agent.planTrouble();
  },
  own: (agent, name) => acknowledgeLetter(agent, name as string),
};
