import { Act } from './agent-env.ts';
import { remoteProfile, watchedProfile, watchedSavingProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { calls } from './odd-calls.ts';
import { life } from './odd-life.ts';
import { consumption, talk } from './odd-talk.ts';
import { type Oddity, START_AGAIN } from './oddity.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

const ODDITIES: readonly Oddity[] = [...talk, ...consumption, ...calls, ...life];

/**
 * An ordinary worker with strange quarters of an hour, one after the other, each of another kind. Nothing may
 * be done to it by force: it is there so that every rule of the core is asked, and so that whatever was found
 * against it is gone when it works again.
 */
export const oddOne: Behaviour = {
  name: 'odd-one',
  tells: 'does something strange now and then',
  profiles: [remoteProfile, watchedProfile, watchedSavingProfile],
  troubleEveryMs: parameters.odd.everyMs,
  trouble: (agent) => {
    // Between two calls, with a task in hand: a tool that runs would answer into the middle of it.
    if (agent.activity !== 'thinking') {
      agent.isTroubled = false;
      return agent.plan(parameters.odd.laterMs, Act.trouble);
    }
    agent.memo = agent.random.below(ODDITIES.length);
    const { work } = oddityOf(agent);
    if (work === 'stuck') {
      agent.activity = 'looping';
      agent.become('stuck');
    } else if (work === 'rests') agent.activity = 'held';
    takeTurn(agent, 0);
  },
  own: (agent, data) => {
    const turn = data as number;
    if (turn === START_AGAIN) return agent.boot(undefined);
    if (turn < oddityOf(agent).turns) return takeTurn(agent, turn);
    end(agent);
  },
};

const oddityOf = (agent: SimAgent): Oddity => ODDITIES[agent.memo] as Oddity;

/** The next turn is planned first: an oddity may end the very life it is played in. */
function takeTurn(agent: SimAgent, turn: number): void {
  const { play, everyMs } = oddityOf(agent);
  agent.plan(everyMs * agent.random.between(0.8, 1.1), Act.own, turn + 1);
  play(agent, turn);
}

function end(agent: SimAgent): void {
  const { over, work } = oddityOf(agent);
  over?.(agent);
  if (work !== 'works') return agent.resumeWork();
  agent.isTroubled = false;
  agent.planTrouble();
}
