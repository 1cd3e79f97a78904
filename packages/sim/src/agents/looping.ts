import type { Finding, FindingKind, Instant } from '@holter/core';
import { Act } from './ground.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * The same call with the same result, again and again. The loop detectors of a later issue will read the
 * calls; until then the world says what they will say: `warn` from 3 repeats, `act` from 5.
 */
const KIND: FindingKind = 'repeated-call';

export function startLoop(agent: SimAgent): void {
  agent.mind = 'looping';
  agent.loopCount = 0;
  const { repeatMinMs, repeatMaxMs } = parameters.loop;
  agent.memo = agent.random.between(repeatMinMs, repeatMaxMs);
  agent.become('stuck');
  agent.plan(agent.memo, Act.own, 'repeat');
}

/** One more repeat: the call opens now and ends a second later. */
export function repeatLoop(agent: SimAgent, data: unknown): void {
  if (agent.mind !== 'looping' || agent.isStopped) return;
  if (data === 'repeat') {
    agent.callCount++;
    const callId = agent.callId();
    const input = { path: 'src/same.ts' };
    agent.ground.send(agent, { kind: 'call-begun', callId, tool: 'bash', input }, `${callId}b`);
    agent.plan(1_000, Act.own, 'result');
    return;
  }
  agent.loopCount++;
  agent.endCall('bash', false, 'the build is running', 'same');
  if (agent.loopCount >= 3) agent.ground.sense(agent, { kind: 'finding', finding: loopFinding(agent) });
  agent.plan(agent.memo, Act.own, 'repeat');
}

export function leaveLoop(agent: SimAgent): void {
  if (agent.mind !== 'looping') return;
  // Only a different result shows that the loop is over.
  agent.callCount++;
  const callId = agent.callId();
  agent.ground.send(
    agent,
    { kind: 'call-begun', callId, tool: 'edit', input: { path: `src/${agent.word()}.ts` } },
    `${callId}b`,
  );
  agent.endCall('edit', false, `wrote ${agent.word()}`);
  if (agent.loopCount >= 3) agent.ground.sense(agent, { kind: 'finding-cleared', findingKind: KIND });
  agent.loopCount = 0;
  agent.resumeWork();
}

function loopFinding(agent: SimAgent): Finding {
  return {
    kind: KIND,
    severity: agent.loopCount >= 5 ? 'act' : 'warn',
    source: 'agent-reports',
    since: agent.truthSince as Instant,
    evidence: `bash gave the same result ${agent.loopCount} times`,
    threshold: '5 identical calls',
    count: agent.loopCount,
  };
}
