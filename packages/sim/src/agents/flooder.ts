import { Act } from './agent-env.ts';
import { farProfile, ownedProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { FAKE_HASH } from './checkpoint-faker.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * Works like mad for a minute or two: thousands of words, each with something new. It must not be accused for it, and
 * what it reports besides (checkpoints that nobody wrote) must not bury the record of others.
 */
export const flooder: Behaviour = {
  name: 'flooder',
  tells: 'thousands of words a minute, all of them news',
  profiles: [ownedProfile, farProfile],
  troubleEveryMs: parameters.flood.everyMs,
  isTroubleBetweenCalls: true,
  trouble: (agent) => {
    agent.activity = 'flooding';
    agent.memo = parameters.flood.callsMin + agent.random.below(parameters.flood.callsMax);
    agent.plan(parameters.flood.betweenMs, Act.own);
  },
  own: (agent) => {
    if (agent.activity !== 'flooding') return;
    pourOut(agent);
    // A client's spool is bounded: an agent that is cut off can't flood.
    if (--agent.memo > 0 && agent.isReachable) agent.plan(parameters.flood.betweenMs, Act.own);
    else agent.resumeWork();
  },
};

function pourOut(agent: SimAgent): void {
  agent.callCount++;
  const callId = agent.callId();
  const input = { path: `src/${agent.word()}.ts` };
  agent.env.send(agent, { kind: 'heartbeat', tokenCount: agent.tokens });
  agent.env.send(agent, { kind: 'call-begun', callId, tool: 'read', input }, `${callId}b`);
  agent.endCall('read', false, `wrote ${agent.word()}`);
  agent.env.send(
    agent,
    { kind: 'checkpoint', checkpointId: `flood${callId}`, hash: FAKE_HASH },
    `${callId}f`,
  );
}
