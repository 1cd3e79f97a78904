import { type Effect, later, type ReceiptOutcome } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import { type ActResult, AGENT_EFFECTS, type Executor } from '../engine/executor.ts';

/** A run that has not answered for so long is offered the effect again. */
const ACT_MS_MAX = 50_000;
const ASK_AGAIN_MS = 1_000;
/** How often a nudge that waits to be read is claimed again, to check that it is still wanted. */
export const OFFER_AGAIN_MS = 60_000;

/** `offered`: the message lies where the agent finds it; the receipt follows when it was read. */
export type RemoteOutcome = ReceiptOutcome | 'offered';

type Offer = { readonly effect: Effect; readonly settle: (result: ActResult) => void };

/**
 * An executor in another process. Effects wait here until its next poll takes them, and its receipt settles
 * them. Each poll lists the effects it already has, so that only those lost in a response are sent again.
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

  /** Effects that the other side does not have yet; waits up to `waitMs` for the first. */
  async take(have: ReadonlySet<string>, waitMs: number): Promise<readonly Effect[]> {
    const fresh = (): readonly Effect[] =>
      [...this.offers.values()].flatMap(({ effect }) => (have.has(effect.id) ? [] : effect));
    if (fresh().length === 0 && waitMs > 0) {
      // Only the newest poll is served; the run has abandoned any earlier one.
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

  /** False when this effect is not waiting for a receipt, for example after a restart of the server. */
  receipt(effectId: string, outcome: RemoteOutcome, detail: string): boolean {
    const offer = this.offers.get(effectId);
    const againAt = later(this.clock.now(), OFFER_AGAIN_MS);
    offer?.settle(
      outcome === 'offered' ? { kind: outcome, againAt, detail } : { kind: 'receipt', outcome, detail },
    );
    return offer !== undefined;
  }

  /** Answers a waiting poll at once. */
  release(): void {
    this.wake?.();
  }

  /** The other side is gone. Effects it did not settle stay in the store and are offered again. */
  close(): void {
    this.wake?.();
    for (const { settle } of [...this.offers.values()]) settle(this.later('the connection was closed'));
  }

  private later(detail: string): ActResult {
    return { kind: 'underway', checkAgainAt: later(this.clock.now(), ASK_AGAIN_MS), detail };
  }
}
