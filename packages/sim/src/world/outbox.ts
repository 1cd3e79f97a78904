import type { ClaimEvidence, Effect, InputBody, ReceiptOutcome, Transition } from '@holter/core';
import type { SimExecutor } from '../actors/sim-executor.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { ReceiptEcho } from './receipt-echo.ts';

/** Time between the decision and the claim: an outbox is polled, hosts are busy. */
const claimDelayMs: Readonly<Record<Effect['kind'], readonly [number, number]>> = {
  nudge: [200, 4_000],
  inquire: [200, 3_000],
  remind: [200, 3_000],
  notify: [200, 3_000],
  'deny-call': [200, 2_000],
  'request-handoff': [200, 3_000],
  // Wide on purpose: what the agent reports in between has to count.
  terminate: [800, 25_000],
  spawn: [500, 6_000],
};

/** An executor that can't reach Holter tries again. */
const RETRY_MS = 20_000;
const ECHO_MS = 50;

interface OutboxPort {
  after(agent: SimAgent, ms: number, callback: () => void): void;
  /** Keeps the call until the monitor is back; false when it is there. */
  maybeQueue(agent: SimAgent, callback: () => void): boolean;
  tell(agent: SimAgent, body: InputBody): Transition | undefined;
  claimed(agent: SimAgent, effect: Effect, isProceeding: boolean): void;
}

/** A receipt on its way to the monitor. */
export type SentReceipt = {
  readonly effect: Effect;
  readonly outcome: ReceiptOutcome;
  readonly detail: string;
  /** From the executor on the agent's host, not from a server: it needs the network. */
  readonly isFromHost: boolean;
};

/** The way of an effect in the pure world: claimed after a while, asked once more, executed, reported. */
export class Outbox {
  private readonly port: OutboxPort;
  private readonly executor: SimExecutor;
  private readonly echo = new ReceiptEcho();

  constructor(port: OutboxPort, executor: SimExecutor) {
    this.port = port;
    this.executor = executor;
  }

  take(agent: SimAgent, effect: Effect): void {
    const [low, high] = claimDelayMs[effect.kind];
    this.port.after(agent, agent.random.between(low, high), () => this.claim(agent, effect));
    const echo = this.echo.behind(agent, effect);
    if (echo !== null) this.port.after(agent, ECHO_MS, () => this.receive(agent, echo));
  }

  private claim(agent: SimAgent, effect: Effect): void {
    const again = (): void => this.claim(agent, effect);
    if (this.port.maybeQueue(agent, again)) return;
    const isOnHost = effect.executor !== null;
    if (isOnHost && !agent.canHostReachHolter) return this.later(agent, again);
    const evidence = evidenceFor(agent, effect);
    const folded = this.port.tell(agent, { kind: 'claim', effect, evidence });
    // A claim whose answer is lost is no permission to act: it is asked again.
    if (isOnHost && !agent.canHostBeReached) return this.later(agent, again);
    const isProceeding = folded?.claim === 'proceed';
    this.port.claimed(agent, effect, isProceeding);
    if (isProceeding) this.execute(agent, orderOf(effect, folded));
  }

  private execute(agent: SimAgent, effect: Effect): void {
    this.executor.execute(agent, effect, ({ outcome, detail, isLost, againAfterMs }) => {
      const receipt = { effect, outcome, detail, isFromHost: effect.executor !== null };
      if (!isLost) this.receive(agent, receipt);
      if (againAfterMs !== null) this.port.after(agent, againAfterMs, () => this.receive(agent, receipt));
    });
  }

  receive(agent: SimAgent, receipt: SentReceipt): void {
    const again = (): void => this.receive(agent, receipt);
    if (this.port.maybeQueue(agent, again)) return;
    const { isFromHost, ...body } = receipt;
    if (isFromHost && !agent.canHostReachHolter) return this.later(agent, again);
    // What time alone would change is changed first, so that what follows is due to the receipt.
    this.port.tell(agent, { kind: 'tick' });
    this.port.tell(agent, { kind: 'receipt', ...body });
    // Without an answer the executor can't know that it was heard.
    if (isFromHost && !agent.canHostBeReached) this.later(agent, again);
  }

  private later(agent: SimAgent, callback: () => void): void {
    this.port.after(agent, RETRY_MS * agent.random.between(0.8, 1.2), callback);
  }
}

/** Only the executor gets the key of a start. */
const orderOf = (effect: Effect, { agent: { hard } }: Transition): Effect =>
  effect.kind === 'spawn' && hard.spawnKey !== undefined ? { ...effect, key: hard.spawnKey } : effect;

/** What the executor has just looked up, for the check at the claim. */
function evidenceFor(agent: SimAgent, effect: Effect): ClaimEvidence {
  if (effect.kind !== 'spawn') return {};
  const spawnKey = `${agent.name} ${agent.freshId()}`;
  const isTaskOpen = effect.taskId === null || effect.taskId === agent.taskId;
  const skipped = agent.behaviour.checkpointsSkipped?.(agent);
  if (skipped === null)
    return { spawnKey, isTaskOpen, checkpointId: null, checkpointsSkipped: agent.checkpointCount };
  const index = agent.checkpointCount - (skipped ?? 0);
  if (index < 1) return { spawnKey, isTaskOpen, checkpointId: null };
  return { spawnKey, isTaskOpen, checkpointId: `k${agent.slot}.${index}`, checkpointsSkipped: skipped ?? 0 };
}
