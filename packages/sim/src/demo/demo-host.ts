import type { Effect } from '@holter/core';
import { type ActResult, AGENT_EFFECTS, type Engine, type Executor } from '@holter/server';
import { Act } from '../agents/agent-env.ts';
import { parameters } from '../agents/parameters.ts';
import { isResponsive } from '../agents/perform.ts';
import type { SimAgent } from '../agents/sim-agent.ts';

export const DEMO_HOST = 'demo-host';

/** The hands of the demo: what Holter wants done is done to simulated agents, and to nobody else. */
export function demoHost(
  engine: () => Engine,
  find: (agentId: string) => SimAgent | undefined,
): Executor & { readonly seen: (effect: Effect) => void } {
  const receipt = (outcome: 'delivered' | 'done' | 'refused', detail: string): ActResult => ({
    kind: 'receipt',
    outcome,
    detail,
  });

  function nudge(agent: SimAgent, effect: Effect): ActResult {
    if (!agent.isReachable || !agent.isRunning) return receipt('refused', 'it can not be reached');
    const { seenMinMs, seenMaxMs } = parameters.nudge;
    const isDeafNow =
      !isResponsive(agent) || (agent.activity === 'hung' && agent.behaviour.nudged === undefined);
    if (!isDeafNow) agent.plan(agent.random.between(seenMinMs, seenMaxMs), Act.nudgeSeen, effect);
    return receipt('delivered', 'in its context');
  }

  function act(agent: SimAgent, effect: Effect): ActResult {
    switch (effect.kind) {
      case 'nudge':
        return nudge(agent, effect);
      case 'inquire':
        if (isResponsive(agent) && agent.isReachable) agent.plan(agent.random.between(500, 20_000), Act.pong);
        return receipt('delivered', 'asked');
      case 'request-handoff': {
        const { writeMinMs, writeMaxMs } = parameters.handoff;
        if (isResponsive(agent)) agent.plan(agent.random.between(writeMinMs, writeMaxMs), Act.handoff);
        return receipt('delivered', 'asked');
      }
      case 'terminate':
        agent.die(null, 'SIGKILL');
        return receipt('done', 'its process is gone');
      case 'spawn':
        if (agent.isRunning) return receipt('refused', 'it runs already');
        agent.boot(effect.key, agent.behaviour.bootMs?.(agent));
        return receipt('done', 'started');
      default:
        return receipt('delivered', 'done');
    }
  }

  return {
    name: DEMO_HOST,
    id: DEMO_HOST,
    kinds: AGENT_EFFECTS,
    act: async (effect) => {
      const agent = find(effect.agentId);
      return agent ? act(agent, effect) : { kind: 'failed', detail: 'nobody of this name plays here' };
    },
    seen: (effect) =>
      void engine()
        .receive(effect, 'seen', 'read')
        .catch(() => undefined),
  };
}
