import type { Effect, ReceiptOutcome } from '@holter/core';
import type { Clock, RunRecord } from '@holter/server/process';
import { NoAnswer } from '../background/http-call.ts';
import type { ServerLink } from './server-link.ts';

/** `offered`: a nudge lies in the nudge file; that it was read is told later. */
export type Outcome = { readonly outcome: ReceiptOutcome | 'offered'; readonly detail: string };

type EffectLoopContext = {
  readonly link: ServerLink;
  readonly clock: Clock;
  readonly record: () => RunRecord;
  readonly carryOut: (effect: Effect) => Promise<Outcome>;
  /** How often the server wants reports about the process. */
  readonly lookEvery: (ms: number) => void;
};

type Polled = { readonly effects: readonly Effect[]; readonly lookEverySeconds: number | null };

const WAIT_SECONDS = 20;
const AGAIN_MS = 250;
const DONE_MAX = 200;

/**
 * Polls the server for effects, carries them out and answers each with a receipt. An effect that arrives again
 * (because its receipt was lost or the server was restarted) is answered again, but not carried out again.
 */
export class EffectLoop {
  private readonly context: EffectLoopContext;
  private readonly path: string;
  private readonly underWay = new Set<string>();
  private readonly done = new Map<string, Outcome>();
  private isStopped = false;
  private isTold = false;

  constructor(executorId: string, context: EffectLoopContext) {
    this.path = `/v1/executors/${executorId}`;
    this.context = context;
  }

  /** Reports this executor and its child; the server stores it in case this process is killed. */
  async present(): Promise<void> {
    const { executorId: _id, ...record } = this.context.record();
    await this.context.link.insist('POST', this.path, record).catch(ignoreNoAnswer);
  }

  async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        const reply = await this.context.link.ask(
          'POST',
          `${this.path}/poll`,
          // The first answer should come immediately, because it contains the reporting interval.
          { have: [...this.underWay], waitSeconds: this.isTold ? WAIT_SECONDS : 0 },
          (WAIT_SECONDS + 10) * 1_000,
          true,
        );
        if (reply.status === 404) await this.present();
        else if (reply.status !== 200) await this.wait();
        else this.hear(reply.body as Polled);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        await this.wait();
      }
    }
  }

  /** The receipt of a nudge comes when the command has read it. */
  async tellSeen(effectId: string): Promise<void> {
    const seen: Outcome = { outcome: 'seen', detail: 'taken out of its nudge file' };
    if (this.done.has(effectId)) this.done.set(effectId, seen);
    await this.receipt(effectId, seen);
  }

  async leave(): Promise<void> {
    this.isStopped = true;
    await this.context.link.ask('DELETE', this.path, undefined, 2_000).catch(() => undefined);
  }

  private hear({ effects, lookEverySeconds }: Polled): void {
    this.isTold = true;
    if (typeof lookEverySeconds === 'number') this.context.lookEvery(lookEverySeconds * 1_000);
    for (const effect of effects) void this.take(effect);
  }

  private async take(effect: Effect): Promise<void> {
    if (this.underWay.has(effect.id)) return;
    this.underWay.add(effect.id);
    try {
      const outcome = this.done.get(effect.id) ?? (await this.carryOut(effect));
      this.done.set(effect.id, outcome);
      if (this.done.size > DONE_MAX) this.done.delete([...this.done.keys()][0] ?? '');
      await this.receipt(effect.id, outcome);
    } finally {
      this.underWay.delete(effect.id);
    }
  }

  private async carryOut(effect: Effect): Promise<Outcome> {
    try {
      return await this.context.carryOut(effect);
    } catch (error) {
      return { outcome: 'unknown', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  private async receipt(effectId: string, { outcome, detail }: Outcome): Promise<void> {
    const body = { effectId, outcome, detail: detail.slice(0, 500) };
    await this.context.link.insist('POST', `${this.path}/receipts`, body).catch(ignoreNoAnswer);
  }

  private wait(): Promise<void> {
    return new Promise((resolve) => void this.context.clock.after(AGAIN_MS, resolve));
  }
}

/** The run ends without the server, which asks for an open effect again when it is back. */
function ignoreNoAnswer(error: unknown): void {
  if (!(error instanceof NoAnswer)) throw error;
}
