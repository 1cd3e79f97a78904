import { Act } from './agent-env.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/**
 * The same call with the same result, again and again. It is not declared a loop: the detectors of the
 * core see the calls, and the checker counts them by itself.
 */
export function startLoop(agent: SimAgent): void {
  const { slowShare, slowMinMs, slowMaxMs } = parameters.loop;
  if (agent.random.chance(slowShare)) loopEvery(agent, agent.random.between(slowMinMs, slowMaxMs));
  else startFastLoop(agent);
}

/** One that is found within a minute. */
export function startFastLoop(agent: SimAgent): void {
  loopEvery(agent, agent.random.between(parameters.loop.repeatMinMs, parameters.loop.repeatMaxMs));
}

/** A loop is known by its pace, which is drawn for each: rounds that an earlier loop planned are dropped. */
type Round = { readonly step: 'repeat' | 'result'; readonly paceMs: number };

function loopEvery(agent: SimAgent, paceMs: number): void {
  agent.activity = 'looping';
  agent.memo = paceMs;
  agent.become('stuck');
  agent.plan(paceMs, Act.own, { step: 'repeat', paceMs } satisfies Round);
}

/** One more repeat: the call opens now and ends a second later. */
export function repeatLoop(agent: SimAgent, data: unknown): void {
  const { step, paceMs } = data as Round;
  if (agent.activity !== 'looping' || agent.isStopped || paceMs !== agent.memo) return;
  if (step === 'repeat') {
    agent.callCount++;
    agent.isRepeating = true;
    const callId = agent.callId();
    const input = { path: 'src/same.ts' };
    agent.env.send(agent, { kind: 'call-begun', callId, tool: 'bash', input }, `${callId}b`);
    agent.plan(1_000, Act.own, { step: 'result', paceMs } satisfies Round);
    return;
  }
  endRepeat(agent);
  agent.plan(paceMs, Act.own, { step: 'repeat', paceMs } satisfies Round);
}

function endRepeat(agent: SimAgent): void {
  agent.isRepeating = false;
  agent.endCall('bash', false, 'the build is running', 'same');
}

export function leaveLoop(agent: SimAgent): void {
  if (agent.activity !== 'looping') return;
  // No call stays open.
  if (agent.isRepeating) endRepeat(agent);
  // Only a different result shows that the loop is over.
  agent.callCount++;
  const callId = agent.callId();
  agent.env.send(
    agent,
    { kind: 'call-begun', callId, tool: 'edit', input: { path: `src/${agent.word()}.ts` } },
    `${callId}b`,
  );
  agent.endCall('edit', false, `wrote ${agent.word()}`);
  agent.resumeWork();
}
