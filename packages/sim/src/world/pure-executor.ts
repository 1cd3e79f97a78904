import type { ClaimEvidence, Effect, ReceiptOutcome } from '@holter/core';
import { Act } from '../agents/agent-env.ts';
import { parameters } from '../agents/parameters.ts';
import { isResponsive } from '../agents/perform.ts';
import type { SimAgent } from '../agents/sim-agent.ts';

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
  // A signal that is not permitted, a socket that closed in the middle of the answer.
  failsShare: 0.03,
  // The image can't be pulled, the port is taken.
  launchFailsShare: 0.01,
} as const;

interface ExecutorPort {
  after(slot: number, delayMs: number, act: 'claim' | 'receipt' | 'kill', data: unknown): void;
  notice(agent: SimAgent, effect: Effect): void;
}

export type Receipt = {
  readonly effect: Effect;
  readonly outcome: ReceiptOutcome;
  readonly detail: string;
  /** From the executor on the agent's host, not from a server. */
  readonly isFromHost: boolean;
};

/** What an adapter that is not to be trusted does to its orders and receipts. */
const lies = {
  // A receipt that never comes, or comes again when the ladder has moved on or the incident is closed.
  lostShare: 0.02,
  twiceShare: 0.04,
  againMaxMs: 45 * 60_000,
  // Pasted into a pane that nobody reads; read when the agent looks up after an hour.
  unseenShare: 0.05,
  seenLateShare: 0.05,
  seenLateMaxMs: 90 * 60_000,
  // The launcher answers before the process has failed to start.
  emptyStartShare: 0.02,
  // The signal went to a wrapper that had let go of the agent: "done", and the process lives on.
  sparedShare: 0.05,
} as const;

/** The hands: claims effects, does them to the simulated agents, and says what became of them. */
export class Executor {
  private readonly port: ExecutorPort;

  private readonly isHonest: boolean;

  constructor(port: ExecutorPort, isHonest: boolean) {
    this.port = port;
    this.isHonest = isHonest;
  }

  private lies(agent: SimAgent, share: number): boolean {
    return !this.isHonest && agent.random.chance(share);
  }

  take(agent: SimAgent, effect: Effect): void {
    const [low, high] = claimLagMs[effect.kind];
    this.port.after(agent.slot, agent.random.between(low, high), 'claim', effect);
  }

  /** Only the executor that an effect names may claim it, and its question has to arrive. */
  canAsk(agent: SimAgent, effect: Effect): boolean {
    return effect.executor === null || agent.canHostReachHolter;
  }

  /** A claim whose answer is lost is no leave to act: it is asked again. */
  hearsAnswer(agent: SimAgent, effect: Effect): boolean {
    return effect.executor === null || agent.canHostBeReached;
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
    if (this.fails(agent, effect)) return;
    switch (effect.kind) {
      case 'nudge':
        return this.nudge(agent, effect);
      case 'inquire':
        if (isResponsive(agent) && agent.canBeReached)
          agent.plan(agent.random.between(500, 20_000), Act.pong);
        return this.answer(agent, effect, 'delivered', 500);
      case 'remind':
        return this.answer(agent, effect, 'delivered', 500);
      case 'deny-call':
        return this.answer(agent, effect, 'done', 300);
      case 'request-handoff': {
        const { writeMinMs, writeMaxMs } = parameters.handoff;
        if (isResponsive(agent) && agent.canBeReached)
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

  /** An adapter that can't, or does not know whether it could; who kills may have killed all the same. */
  private fails(agent: SimAgent, effect: Effect): boolean {
    // Nudges have failures of their own, and notices are sent until they arrive.
    if (effect.kind === 'nudge' || effect.kind === 'notify') return false;
    if (!agent.random.chance(executorParameters.failsShare)) return false;
    const outcome = agent.random.chance(0.5) ? 'refused' : 'unknown';
    if (effect.kind === 'terminate' && outcome === 'unknown' && agent.random.chance(0.5))
      agent.die(null, 'SIGKILL');
    this.answer(agent, effect, outcome, 1_000);
    return true;
  }

  /** The process tree is gone, or was gone already: say so. Its exit may be seen before or after. */
  killed(agent: SimAgent, effect: Effect, life: number): void {
    // Where nobody looks at processes there is nothing but this word, and nobody could know better.
    const isSpared = agent.profile.promises.process === true && this.lies(agent, lies.sparedShare);
    if (agent.life === life && agent.isRunning && !isSpared) agent.die(null, 'SIGKILL');
    this.answer(agent, effect, 'done', agent.random.between(50, 3_000));
  }

  private nudge(agent: SimAgent, effect: Effect): void {
    if (agent.random.chance(executorParameters.nudgeLostShare) || !agent.canBeReached || !agent.isRunning) {
      return this.answer(agent, effect, agent.random.chance(0.5) ? 'refused' : 'unknown', 400);
    }
    this.answer(agent, effect, 'delivered', 300);
    // Who hangs reads nothing, unless a word is just what it needs.
    if (!isResponsive(agent) || (agent.activity === 'hung' && agent.behaviour.nudged === undefined)) return;
    if (this.lies(agent, lies.unseenShare)) return;
    const { seenMinMs, seenMaxMs } = parameters.nudge;
    const lateMs = this.lies(agent, lies.seenLateShare) ? agent.random.unit() * lies.seenLateMaxMs : 0;
    agent.plan(lateMs + agent.random.between(seenMinMs, seenMaxMs), Act.nudgeSeen, effect);
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
    if (!this.lies(agent, lies.emptyStartShare)) agent.boot(effect.key, agent.behaviour.bootMs?.(agent));
    this.answer(agent, effect, 'done', 800);
  }

  answer(agent: SimAgent, effect: Effect, outcome: ReceiptOutcome, delayMs: number): void {
    const isFromHost = effect.executor !== null;
    const receipt: Receipt = { effect, outcome, detail: '', isFromHost };
    if (this.lies(agent, lies.lostShare)) return;
    this.port.after(agent.slot, delayMs * agent.random.between(0.5, 1.5), 'receipt', receipt);
    if (this.lies(agent, lies.twiceShare))
      this.port.after(agent.slot, delayMs + agent.random.unit() * lies.againMaxMs, 'receipt', receipt);
  }
}
