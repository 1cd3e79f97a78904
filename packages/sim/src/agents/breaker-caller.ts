import type { Acquired, BreakerAct, DurationMs } from '@holter/core';
import { Act } from './agent-env.ts';
import { criticalProfile, farProfile, ownedProfile, remoteProfile } from './agent-profile.ts';
import type { Behaviour } from './behaviour.ts';
import { parameters } from './parameters.ts';
import type { SimAgent } from './sim-agent.ts';

/** Those that every agent has, and two of its own that count in other ways (`policies.ts`). */
const NAMES = ['tool_execution', 'checkpoint_write', 'external_api', 'model_call', 'search'] as const;

type Report = Extract<BreakerAct, { kind: 'report' }>['report'];
/** What the agent itself plans: the next calls, or the end of one that it made. */
type Errand = { readonly name: string; readonly report: Report } | 'call';

/**
 * Works like the steady worker, and calls a few services through its breakers all the while. A service has
 * bad times, callers lose their permits or report much too late, and an operator takes a hand in it. The
 * agent itself is fine throughout: a service that is down is not the caller's fault.
 */
export const breakerCaller: Behaviour = {
  name: 'breaker-caller',
  tells: 'calls services through its breakers',
  profiles: [ownedProfile, farProfile, remoteProfile, criticalProfile],
  troubleEveryMs: parameters.breaker.badEveryMs,
  begin: (agent) => {
    agent.memo = 0;
    agent.plan(agent.random.exponential(parameters.breaker.callEveryMs), Act.own, 'call' satisfies Errand);
    if (agent.taskId !== null) agent.think();
    else agent.takeTask();
  },
  trouble: (agent) => {
    const { badMinMs, badMaxMs } = parameters.breaker;
    // Which service is bad, counted from one; zero is none.
    agent.memo = 1 + agent.random.below(NAMES.length);
    const badMs = agent.random.between(badMinMs, badMaxMs);
    agent.plan(badMs, Act.relief);
    callOperator(agent, badMs);
  },
  relief: (agent) => {
    agent.memo = 0;
    agent.isTroubled = false;
    agent.planTrouble();
  },
  own: (agent, data) => {
    const errand = data as Errand;
    if (errand !== 'call')
      return agent.env.tellBreaker(agent, 20, errand.name, { kind: 'report', report: errand.report });
    const { callEveryMs, callersMax, deathShare } = parameters.breaker;
    agent.plan(agent.random.exponential(callEveryMs), Act.own, 'call' satisfies Errand);
    const name = agent.random.pick(NAMES);
    const isBad = isBadNow(agent, name);
    const callers = isBad ? callersMax : 1 + agent.random.below(callersMax);
    for (let caller = 0; caller < callers; caller++) call(agent, name, isBad);
    // One death per bad time at most, on average: by then the calls are in the air.
    if (isBad && agent.random.chance(deathShare * (callEveryMs / parameters.breaker.badMaxMs))) agent.die(1);
  },
};

const isBadNow = (agent: SimAgent, name: string): boolean => NAMES[agent.memo - 1] === name;

/** Asked, made, and reported, if nothing comes between. Calls without a permit are made too, and not reported. */
function call(agent: SimAgent, name: string, isBad: boolean): void {
  const answer = agent.env.acquire(agent, name);
  if (answer?.kind !== 'permit') return;
  const { callMs, failShare, badTimes, slowMs, lostShare, lateShare, lateMaxMs } = parameters.breaker;
  const { random } = agent;
  const bad = name === 'search' ? badTimes.slow : badTimes.failing;
  const isSlow = isBad && random.chance(bad.slowShare);
  const durationMs = random.exponential(isSlow ? slowMs : callMs);
  const report = reportOf(answer, random.chance(isBad ? bad.failShare : failShare), durationMs);
  const luck = random.unit();
  if (luck < lostShare) return;
  if (luck < lostShare + lateShare) {
    const lateMs = durationMs + random.unit() * lateMaxMs;
    return agent.env.tellBreaker(agent, lateMs, name, { kind: 'report', report });
  }
  agent.plan(durationMs, Act.own, { name, report } satisfies Errand);
}

const reportOf = (
  { generation, permitId }: Extract<Acquired, { kind: 'permit' }>,
  isFailure: boolean,
  durationMs: number,
): Report => ({
  generation,
  permitId,
  outcome: isFailure ? 'failure' : 'success',
  durationMs: durationMs as DurationMs,
});

function callOperator(agent: SimAgent, badMs: number): void {
  const { isolateShare, resetShare, isolateMaxMs } = parameters.breaker;
  const { env, random } = agent;
  const name = NAMES[agent.memo - 1] as string;
  const by = 'operator';
  const cameAfterMs = random.unit() * badMs;
  const forMs = Math.round(random.unit() * isolateMaxMs) as DurationMs;
  if (random.chance(isolateShare))
    env.tellBreaker(agent, cameAfterMs, name, {
      kind: 'isolate',
      by,
      reason: 'its provider is down',
      forMs,
    });
  if (random.chance(resetShare))
    env.tellBreaker(agent, cameAfterMs + random.unit() * isolateMaxMs, name, {
      kind: 'reset',
      by,
      reason: 'its provider is back',
    });
}
