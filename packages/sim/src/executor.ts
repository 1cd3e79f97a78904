import type { ClaimEvidence, Effect, ReceiptOutcome } from '@holter/core';
import { Act } from './agents/ground.ts';
import { parameters } from './agents/parameters.ts';
import { isResponsive } from './agents/perform.ts';
import type { SimAgent } from './agents/sim-agent.ts';

/** Lag between the decision and the claim: an outbox is polled, hosts are busy. */
const claimLagMs: Readonly<Record<Effect['kind'], readonly [number, number]>> = {
  nudge: [200, 4_000],
  inquire: [200, 3_000],
  remind: [200, 3_000],
  notify: [200, 3_000],
  'deny-call': [200, 2_000],
  'request-handoff': [200, 3_000],
  // Wide on purpose: whatever the agent says in between has to count.
  terminate: [800, 25_000],
  spawn: [500, 6_000],
};

const executorParameters = {
  // Executors that can't be reached try again.
  retryMs: 20_000,
  // A hook that is not called any more, a pane that is gone.
  nudgeLostShare: 0.02,
  // A chat service that is down for some minutes; notices are sent again until they arrive.
  noticeLateShare: 0.05,
  noticeLateMs: 4 * 60_000,
  // Asking to save, SIGINT, SIGTERM, SIGKILL.
  killMinMs: 500,
  killMaxMs: 29_000,
  // The image can't be pulled, the port is taken.
  launchFailsShare: 0.01,
} as const;

interface ExecutorPort {
  after(slot: number, delayMs: number, act: 'claim' | 'receipt' | 'kill', data: unknown): void;
  notice(agent: SimAgent, effect: Effect): void;
}

export type Receipt = {
  readonly effectId: string;
  readonly outcome: ReceiptOutcome;
  readonly detail: string;
  /** From the executor on the agent's host, not from a server. */
  readonly isFromHost: boolean;
};

/** The hands: claims effects, does them to the simulated agents, and says what became of them. */
export class Executor {
  private readonly port: ExecutorPort;

  constructor(port: ExecutorPort) {
    this.port = port;
  }

  take(agent: SimAgent, effect: Effect): void {
    const [low, high] = claimLagMs[effect.kind];
    this.port.after(agent.slot, agent.random.between(low, high), 'claim', effect);
  }

  /** Only the executor that an effect names may claim it, and its question has to arrive. */
  canAsk(agent: SimAgent, effect: Effect): boolean {
    return effect.executor === null || agent.isHostHeard;
  }

  /** A claim whose answer is lost is no leave to act: it is asked again. */
  hearsAnswer(agent: SimAgent, effect: Effect): boolean {
    return effect.executor === null || agent.isHostHearing;
  }

  tryLater(agent: SimAgent, effect: Effect): void {
    this.port.after(agent.slot, executorParameters.retryMs * agent.random.between(0.8, 1.2), 'claim', effect);
  }

  reportLater(agent: SimAgent, receipt: Receipt): void {
    const delayMs = executorParameters.retryMs * agent.random.between(0.8, 1.2);
    this.port.after(agent.slot, delayMs, 'receipt', receipt);
  }

  /** What the executor has just looked up, for the last re-check. */
  evidence(agent: SimAgent, effect: Effect): ClaimEvidence {
    if (effect.kind !== 'spawn') return {};
    const isTaskOpen = effect.taskId === null || effect.taskId === agent.taskId;
    const skipped = agent.behaviour.checkpointsSkipped?.(agent);
    if (skipped === null)
      return { isTaskOpen, checkpointId: null, checkpointsSkipped: agent.checkpointCount };
    const index = agent.checkpointCount - (skipped ?? 0);
    if (index < 1) return { isTaskOpen, checkpointId: null };
    return { isTaskOpen, checkpointId: `k${agent.slot}.${index}`, checkpointsSkipped: skipped ?? 0 };
  }

  perform(agent: SimAgent, effect: Effect): void {
    switch (effect.kind) {
      case 'nudge':
        return this.nudge(agent, effect);
      case 'inquire':
        if (isResponsive(agent) && agent.isHearing) agent.plan(agent.random.between(500, 20_000), Act.pong);
        return this.answer(agent, effect, 'delivered', 500);
      case 'remind':
        return this.answer(agent, effect, 'delivered', 500);
      case 'deny-call':
        return this.answer(agent, effect, 'done', 300);
      case 'request-handoff': {
        const { writeMinMs, writeMaxMs } = parameters.handoff;
        if (isResponsive(agent) && agent.isHearing)
          agent.plan(agent.random.between(writeMinMs, writeMaxMs), Act.handoff);
        return this.answer(agent, effect, 'delivered', 500);
      }
      case 'notify':
        return this.notify(agent, effect);
      case 'terminate': {
        const { killMinMs, killMaxMs } = executorParameters;
        this.port.after(agent.slot, agent.random.between(killMinMs, killMaxMs), 'kill', {
          effect,
          life: agent.life,
        });
        return;
      }
      case 'spawn':
        return this.spawn(agent, effect);
    }
  }

  /** The process tree is gone, or was gone already: say so. Its exit may be seen before or after. */
  killed(agent: SimAgent, effect: Effect, life: number): void {
    if (agent.life === life && agent.isRunning) agent.die(null, 'SIGKILL');
    this.answer(agent, effect, 'done', agent.random.between(50, 3_000));
  }

  private nudge(agent: SimAgent, effect: Effect): void {
    if (agent.random.chance(executorParameters.nudgeLostShare) || !agent.isHearing || !agent.isRunning) {
      return this.answer(agent, effect, agent.random.chance(0.5) ? 'refused' : 'unknown', 400);
    }
    this.answer(agent, effect, 'delivered', 300);
    // Who hangs reads nothing, unless a word is just what it needs.
    if (!isResponsive(agent) || (agent.mind === 'hung' && agent.behaviour.nudged === undefined)) return;
    const { seenMinMs, seenMaxMs } = parameters.nudge;
    agent.plan(agent.random.between(seenMinMs, seenMaxMs), Act.nudgeSeen, effect.id);
  }

  private notify(agent: SimAgent, effect: Effect): void {
    const isLate = agent.random.chance(executorParameters.noticeLateShare);
    this.answer(
      agent,
      effect,
      'delivered',
      isLate ? agent.random.unit() * executorParameters.noticeLateMs : 1_000,
    );
    this.port.notice(agent, effect);
  }

  private spawn(agent: SimAgent, effect: Extract<Effect, { kind: 'spawn' }>): void {
    if (agent.isRunning || agent.random.chance(executorParameters.launchFailsShare)) {
      return this.answer(agent, effect, 'refused', 1_000);
    }
    agent.boot(effect.key, agent.behaviour.bootMs?.(agent));
    this.answer(agent, effect, 'done', 800);
  }

  answer(agent: SimAgent, effect: Effect, outcome: ReceiptOutcome, delayMs: number): void {
    const isFromHost = effect.executor !== null;
    const receipt: Receipt = { effectId: effect.id, outcome, detail: '', isFromHost };
    this.port.after(agent.slot, delayMs * agent.random.between(0.5, 1.5), 'receipt', receipt);
  }
}
