import { Act } from './agent-env.ts';
import { farProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/**
 * Dies, comes back by itself, and its new process sends what the old one left in its spool: calls, errors and an
 * end of long ago, in the name of a start that is over. Nothing of it may count.
 */
export const replayer: Behaviour = {
  name: 'replayer',
  tells: 'sends what an earlier start left behind',
  profiles: [farProfile, remoteProfile],
  troubleEveryMs: parameters.replay.everyMs,
  begin: (agent) => {
    if (agent.memo > 0) agent.plan(agent.random.unit() * parameters.replay.withinMs, Act.own, agent.memo);
    agent.memo = agent.incarnation;
    if (agent.taskId !== null) agent.think();
    else agent.takeTask();
  },
  trouble: (agent) => {
    agent.die(1);
    agent.boot(
      undefined,
      agent.random.between(parameters.selfRestart.backMinMs, parameters.selfRestart.backMaxMs),
    );
  },
  own: (agent, data) => {
    const old = data as number;
    const send = agent.env.sendAs.bind(agent.env, agent, old);
    for (let index = 1; index <= parameters.replay.calls; index++) {
      const callId = `c${agent.life - 2}.${index}`;
      const input = { path: 'src/same.ts' };
      send({ kind: 'call-begun', callId, tool: 'bash', input }, `${callId}b`);
      const output = 'the build is running';
      send({ kind: 'call-ended', callId, tool: 'bash', input, isError: false, output }, `${callId}e`);
      send({ kind: 'error', message: 'failed' }, `f${callId}`);
    }
    send({ kind: 'hold-begun', hold: 'waiting-for-input' }, `w${agent.life}`);
    send({ kind: 'stopped', reason: 'long ago' }, `x${agent.life}`);
  },
};
