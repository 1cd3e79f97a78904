import { Act } from './agent-env.ts';
import { farProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';

/** Every call fails, with ever different arguments. One spiral in three finds its way out. */
export const errorSpiral: Behaviour = {
  name: 'error-spiral',
  tells: 'every call fails',
  profiles: [ownedProfile, farProfile, remoteProfile],
  troubleEveryMs: parameters.errorSpiral.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'looping';
    agent.become('stuck');
    const { selfCureShare, failuresMax, reportShare } = parameters.errorSpiral;
    agent.isTellingFailures = agent.random.chance(reportShare);
    agent.memo = agent.random.chance(selfCureShare)
      ? 2 + agent.random.below(failuresMax)
      : Number.POSITIVE_INFINITY;
    agent.plan(parameters.errorSpiral.betweenMs, Act.own, 'begin');
  },
  own: (agent, data) => {
    if (agent.activity !== 'looping') return;
    if (data === 'begin') {
      agent.callCount++;
      const callId = agent.callId();
      agent.env.send(agent, { kind: 'call-begun', callId, tool: 'bash' }, `${callId}b`);
      agent.plan(1_500, Act.own, 'end');
      return;
    }
    const isCured = agent.memo-- <= 0;
    agent.endCall('bash', !isCured, isCured ? `wrote ${agent.word()}` : `cannot find '${agent.word()}'`);
    if (!isCured && agent.isTellingFailures)
      agent.env.send(agent, { kind: 'error', message: 'failed' }, `f${agent.life}.${agent.callCount}`);
    if (isCured) agent.resumeWork();
    else agent.plan(agent.random.exponential(parameters.errorSpiral.betweenMs), Act.own, 'begin');
  },
};
