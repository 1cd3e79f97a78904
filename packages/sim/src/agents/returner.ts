import { Act } from './agent-env.ts';
import { remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/** The next call of its loop, or -1 for its return. */
type Step = number;
const BACK: Step = -1;

/**
 * Loops, and before its loop is found it says that it has stopped, to register again with its own token: in another
 * group, to be only watched, and without promises.
 */
export const returner: Behaviour = {
  name: 'returner',
  tells: 'says that it has stopped, and comes back on other terms',
  profiles: [remoteProfile],
  troubleEveryMs: parameters.adversary.everyMs,
  isTroubleBetweenCalls: true,
  returnsAs: { group: 'elsewhere', mode: 'observe', promises: {}, can: [] },
  trouble: (agent) => {
    agent.memo = parameters.adversary.returns;
    loop(agent);
  },
  begin: (agent) => {
    if (agent.memo > 0) loop(agent);
    else if (agent.taskId === null) agent.takeTask();
    else agent.think();
  },
  own: (agent, data) => {
    const step = data as Step;
    if (step === BACK) return agent.boot(undefined);
    if (agent.activity !== 'looping' || agent.isStopped) return;
    if (step === parameters.adversary.callsPerReturn) return leave(agent);
    agent.callCount++;
    const callId = agent.callId();
    const input = { path: 'src/same.ts' };
    agent.env.send(agent, { kind: 'call-begun', callId, tool: 'bash', input }, `${callId}b`);
    agent.endCall('bash', false, 'the build is running', 'same');
    agent.plan(parameters.loop.repeatMinMs, Act.own, step + 1);
  },
};

function loop(agent: SimAgent): void {
  agent.isTroubled = true;
  agent.activity = 'looping';
  agent.become('stuck');
  agent.plan(parameters.loop.repeatMinMs, Act.own, 0);
}

function leave(agent: SimAgent): void {
  agent.memo--;
  if (agent.memo === 0) return agent.resumeWork();
  agent.env.send(agent, { kind: 'stopped', reason: 'done for today' }, agent.freshId());
  agent.die(0);
  agent.plan(parameters.adversary.backMs, Act.own, BACK);
}
