import type { Effect, ReceiptOutcome } from '@holter/core';
import { Act } from '../agents/agent-env.ts';
import { parameters } from '../agents/parameters.ts';
import { isResponsive } from '../agents/perform.ts';
import type { SimAgent } from '../agents/sim-agent.ts';

/** What adapters do on any day: how often they fail and say so. */
const FAILURES = {
  // A signal that is not permitted, a socket that closed in the middle of the answer.
  share: 0.03,
  // A hook that is no longer called, a pane that is gone.
  nudgeShare: 0.02,
  // The image can't be pulled, the port is taken.
  launchShare: 0.02,
  // A chat service that is down for some minutes; notices are sent again until they arrive.
  noticeLateShare: 0.05,
  noticeLateMs: 4 * 60_000,
} as const;

/** What an adapter that is not to be trusted does: how often its receipt and the truth differ. */
const LIES = {
  // The receipt never comes, or comes again when the ladder has moved on or the incident is closed.
  lostShare: 0.02,
  twiceShare: 0.04,
  againMaxMs: 45 * 60_000,
  // Pasted into a pane that is not read; read when the agent looks up after an hour.
  unseenShare: 0.05,
  seenLateShare: 0.05,
  seenLateMaxMs: 90 * 60_000,
  // The launcher answers before the process has failed to start.
  emptyStartShare: 0.02,
  // The signal went to a wrapper that had let go of the agent: "done", and the process lives on.
  sparedShare: 0.05,
} as const;

type Terminate = Extract<Effect, { kind: 'terminate' }>;

/** How each world does what the executor decides. */
interface SimExecutorPort {
  after(agent: SimAgent, ms: number, callback: () => void): void;
  /** Stops the process of the incarnation that the effect names; says whether it is gone. */
  stop(agent: SimAgent, effect: Terminate, stopped: (isGone: boolean) => void): void;
  /** The notice is out; says whether somebody reads it. */
  notified(agent: SimAgent, effect: Effect): boolean;
}

/** What the adapter reports when it is done. */
export type Receipt = {
  readonly outcome: ReceiptOutcome;
  readonly detail: string;
  /** It does not arrive: an outbox that waits for it tries again. */
  readonly isLost: boolean;
  /** The same receipt comes once more after this time. */
  readonly againAfterMs: number | null;
};

type Done = (receipt: Receipt) => void;

/** `perfect` never fails by chance; `honest` fails and says so; `lying` also says what is not true. */
export type Honesty = 'perfect' | 'honest' | 'lying';

/** Does to simulated agents what Holter wants done, and reports it, with the failures and lies of real adapters. */
export class SimExecutor {
  private readonly port: SimExecutorPort;
  private readonly honesty: Honesty;
  /** Keys of starts that were carried out: the same order may be given twice, after a crash. */
  private readonly startedKeys: Set<string>;

  constructor(port: SimExecutorPort, honesty: Honesty, startedKeys = new Set<string>()) {
    this.port = port;
    this.honesty = honesty;
    this.startedKeys = startedKeys;
  }

  execute(agent: SimAgent, effect: Effect, done: Done): void {
    if (this.fails(agent, effect, done)) return;
    switch (effect.kind) {
      case 'nudge':
        return this.nudge(agent, effect, done);
      case 'inquire':
        if (isResponsive(agent) && agent.canBeReached)
          agent.plan(agent.random.between(500, 20_000), Act.pong);
        return this.answer(agent, done, 'delivered', 'asked', 500);
      case 'request-handoff': {
        const { writeMinMs, writeMaxMs } = parameters.handoff;
        if (isResponsive(agent) && agent.canBeReached)
          agent.plan(agent.random.between(writeMinMs, writeMaxMs), Act.handoff);
        return this.answer(agent, done, 'delivered', 'asked', 500);
      }
      case 'remind':
        return this.answer(agent, done, 'delivered', 'reminded', 500);
      case 'deny-call':
        return this.answer(agent, done, 'done', 'denied', 300);
      case 'notify':
        return this.notify(agent, effect, done);
      case 'terminate':
        return this.terminate(agent, effect, done);
      case 'spawn':
        return this.spawn(agent, effect.key, done);
    }
  }

  private failsBy(agent: SimAgent, share: number): boolean {
    return this.honesty !== 'perfect' && agent.random.chance(share);
  }

  private lies(agent: SimAgent, share: number): boolean {
    return this.honesty === 'lying' && agent.random.chance(share);
  }

  private answer(
    agent: SimAgent,
    done: Done,
    outcome: ReceiptOutcome,
    detail: string,
    aboutMs: number,
  ): void {
    const isLost = this.lies(agent, LIES.lostShare);
    const isRepeated = !isLost && this.lies(agent, LIES.twiceShare);
    const againAfterMs = isRepeated ? agent.random.unit() * LIES.againMaxMs : null;
    this.port.after(agent, aboutMs * agent.random.between(0.5, 1.5), () =>
      done({ outcome, detail, isLost, againAfterMs }),
    );
  }

  /** The adapter can't, or does not know whether it could; a kill of unknown outcome may have killed. */
  private fails(agent: SimAgent, effect: Effect, done: Done): boolean {
    // Nudges have failures of their own, and notices are sent until they arrive.
    if (effect.kind === 'nudge' || effect.kind === 'notify') return false;
    if (!this.failsBy(agent, FAILURES.share)) return false;
    const outcome = agent.random.chance(0.5) ? 'refused' : 'unknown';
    const hasKilled = effect.kind === 'terminate' && outcome === 'unknown' && agent.random.chance(0.5);
    const answer = (): void => this.answer(agent, done, outcome, 'the adapter failed', 1_000);
    if (hasKilled) this.port.stop(agent, effect, answer);
    else answer();
    return true;
  }

  private nudge(agent: SimAgent, effect: Effect, done: Done): void {
    if (!agent.canBeReached || !agent.isRunning)
      return this.answer(agent, done, 'refused', 'it can not be reached', 400);
    if (this.failsBy(agent, FAILURES.nudgeShare))
      return this.answer(agent, done, agent.random.chance(0.5) ? 'refused' : 'unknown', 'lost', 400);
    this.answer(agent, done, 'delivered', 'in its context', 300);
    // An agent that hangs reads nothing, unless a nudge is just what it needs.
    if (!isResponsive(agent) || (agent.activity === 'hung' && agent.behaviour.nudged === undefined)) return;
    if (this.lies(agent, LIES.unseenShare)) return;
    const { seenMinMs, seenMaxMs } = parameters.nudge;
    const lateMs = this.lies(agent, LIES.seenLateShare) ? agent.random.unit() * LIES.seenLateMaxMs : 0;
    agent.plan(lateMs + agent.random.between(seenMinMs, seenMaxMs), Act.nudgeSeen, effect);
  }

  private notify(agent: SimAgent, effect: Effect, done: Done): void {
    const isLate = this.failsBy(agent, FAILURES.noticeLateShare);
    const delayMs = isLate ? agent.random.unit() * FAILURES.noticeLateMs : 1_000;
    const isRead = this.port.notified(agent, effect);
    this.answer(agent, done, isRead ? 'delivered' : 'posted', isRead ? 'read' : 'sent', delayMs);
  }

  private terminate(agent: SimAgent, effect: Terminate, done: Done): void {
    // Where processes are not looked at, Holter has nothing but the receipt and could not know better.
    if (agent.profile.promises.process === true && this.lies(agent, LIES.sparedShare))
      return this.answer(agent, done, 'done', 'a wrapper of it is gone', 1_000);
    this.port.stop(agent, effect, (isGone) => {
      if (isGone) this.answer(agent, done, 'done', 'its process is gone', 1_500);
      else done({ outcome: 'unknown', detail: 'it would not go', isLost: true, againAfterMs: null });
    });
  }

  private spawn(agent: SimAgent, key: string | undefined, done: Done): void {
    if (key === undefined) return this.answer(agent, done, 'refused', 'the order has no key', 800);
    if (this.startedKeys.has(key)) return this.answer(agent, done, 'done', 'started before', 800);
    if (agent.isRunning) return this.answer(agent, done, 'refused', 'it runs already', 1_000);
    if (this.failsBy(agent, FAILURES.launchShare))
      return this.answer(agent, done, 'refused', 'the image can not be pulled', 1_000);
    this.startedKeys.add(key);
    if (!this.lies(agent, LIES.emptyStartShare)) agent.boot(key, agent.behaviour.bootMs?.(agent));
    this.answer(agent, done, 'done', 'started', 800);
  }
}
