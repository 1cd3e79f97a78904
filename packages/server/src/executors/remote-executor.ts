import { type Effect, later, type ReceiptOutcome } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import { type ActResult, AGENT_EFFECTS, type Executor } from '../engine/executor.ts';

/** Shorter than the outbox's lease, or a second server's claim could meet the first one's act. */
const ACT_MS_MAX = 50_000;
const ASK_AGAIN_MS = 1_000;

type Offer = { readonly effect: Effect; readonly settle: (result: ActResult) => void };

/**
 * An executor at the other end of a connection: effects lie here until its next poll takes them, and its
 * receipt settles them. A poll says what it already has, so that an answer that got lost is given again and
 * one that arrived is not.
 */
export class RemoteExecutor implements Executor {
  readonly name = 'holter run';
  readonly id: string;
  readonly kinds = AGENT_EFFECTS;
  private readonly clock: Clock;
  private readonly offers = new Map<string, Offer>();
  private wake: (() => void) | null = null;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.clock = clock;
  }

  act(effect: Effect): Promise<ActResult> {
    return new Promise((resolve) => {
      const settle = (result: ActResult): void => {
        giveUp();
        if (this.offers.get(effect.id)?.settle === settle) this.offers.delete(effect.id);
        resolve(result);
      };
      const giveUp = this.clock.after(ACT_MS_MAX, () => settle(this.later('it is still at it')));
      this.offers.set(effect.id, { effect, settle });
      this.wake?.();
    });
  }

  /** Effects that the other end does not have yet; waits for the first one as long as it may. */
  async take(have: ReadonlySet<string>, waitMs: number): Promise<readonly Effect[]> {
    const fresh = (): readonly Effect[] =>
      [...this.offers.values()].flatMap(({ effect }) => (have.has(effect.id) ? [] : effect));
    if (fresh().length === 0 && waitMs > 0) {
      // The newest poll is the one that is listened to; an older one of the same run has been given up.
      this.wake?.();
      await new Promise<void>((resolve) => {
        const cancel = this.clock.after(waitMs, resolve);
        this.wake = () => {
          cancel();
          resolve();
        };
      });
    }
    return fresh();
  }

  /** False when nobody waits for it: the server was started anew meanwhile. */
  receipt(effectId: string, outcome: ReceiptOutcome, detail: string): boolean {
    const offer = this.offers.get(effectId);
    offer?.settle({ kind: 'receipt', outcome, detail });
    return offer !== undefined;
  }

  /** Whoever polls is answered now. */
  release(): void {
    this.wake?.();
  }

  /** Nobody is at the other end any more: what was offered stays in the store and is offered again. */
  close(): void {
    this.wake?.();
    for (const { settle } of [...this.offers.values()]) settle(this.later('the connection was closed'));
  }

  private later(detail: string): ActResult {
    return { kind: 'underway', checkAgainAt: later(this.clock.now(), ASK_AGAIN_MS), detail };
  }
}
