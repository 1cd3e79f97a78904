import {
  type ClaimEvidence,
  chooseCheckpoint,
  type Effect,
  type Instant,
  instant,
  later,
  pickCheckpoint,
} from '@holter/core';
import type { ClaimedEffect, Settlement, Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { ActResult, Executor } from './executor.ts';
import { readChain, readPicked } from './stored-chain.ts';

/** Effects claimed by a crashed server become claimable again after it. It is renewed while an act takes longer. */
export const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** An act that starts later than this before its lease ends could overlap with the next claimer's. */
const MARGIN_MS = 1_000;
/** Most effects that this server carries out concurrently. */
const UNDER_WAY_MAX = 64;
/** After this many failed tries an effect is abandoned and a person is notified. */
const TRIES_MAX = 8;
const BACKOFF_MS_MIN = 1_000;
/** How often it is asked whether a person still stops acts. */
const HELD_MS = 5_000;
const BACKOFF_MS_MAX = 5 * 60_000;

type OutboxContext = {
  readonly store: Store;
  readonly clock: Clock;
  /** The newest event that this server knows to be stored. */
  readonly seen: () => number;
  readonly executors: () => readonly Executor[];
  /** A person has stopped acts like this one. */
  readonly isHeld?: (effect: Effect) => Promise<boolean>;
  readonly sha256: (text: string) => string;
  /** The newest checkpoint that the agent's record knows. */
  readonly headOf: (agentId: string) => string | undefined;
  readonly newSecret: () => string;
  /** Asks the agent's record for the effect as it is to be carried out, or why it is not wanted any more. */
  readonly claim: (effect: Effect, evidence: ClaimEvidence) => Promise<Effect | string>;
  readonly receive: (effect: Effect, outcome: Settlement['outcome'], detail: string) => Promise<void>;
  readonly attention: (effect: Effect, message: string) => void;
  /** Called when the store becomes unavailable. The effect is claimable again when its lease ends. */
  readonly failed: (error: unknown) => void;
};

type Work = { tries: number; leaseEnd: Instant; readonly done: Promise<void> };

/**
 * Carries out committed effects: claim, re-check, act, settle. A crash between any two steps loses nothing,
 * because an effect stays claimable until it is settled. An executor may therefore receive the same effect
 * twice.
 */
export class Outbox {
  private readonly context: OutboxContext;
  /** By the effect's id. */
  private readonly underWay = new Map<string, Work>();
  private isClaiming = false;
  private isWantedAgain = false;

  constructor(context: OutboxContext) {
    this.context = context;
  }

  /**
   * Claims due effects and starts them without waiting for the result: a termination takes half a minute and
   * must not delay a notice. Called on every tick and after every commit with effects. `aheadMs` also claims
   * effects due that far in the future. An engine that has the store to itself uses it once at start, to take
   * over what its predecessor had claimed.
   */
  async pump(aheadMs = 0): Promise<void> {
    if (this.isClaiming) {
      this.isWantedAgain = true;
      return;
    }
    this.isClaiming = true;
    try {
      do {
        this.isWantedAgain = false;
        await this.claimAll(aheadMs);
      } while (this.isWantedAgain);
    } finally {
      this.isClaiming = false;
    }
  }

  /** Resolves when all started effects are done. */
  async drain(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all([...this.underWay.values()].map(({ done }) => done));
  }

  private async claimAll(aheadMs: number): Promise<void> {
    const { store, clock, executors, seen } = this.context;
    for (;;) {
      const limit = UNDER_WAY_MAX - this.underWay.size;
      if (limit <= 0) return;
      const ids = [...new Set(executors().map(({ id }) => id))];
      const now = clock.now();
      const at = later(now, aheadMs);
      const claimed = await store.claimEffects({
        executors: ids,
        at,
        leaseMs: LEASE_MS,
        limit,
        seen: seen(),
      });
      for (const each of claimed) this.begin(each, later(now, LEASE_MS));
      if (claimed.length < limit) return;
    }
  }

  private begin({ effect, tries }: ClaimedEffect, leaseEnd: Instant): void {
    const { failed } = this.context;
    const known = this.underWay.get(effect.id);
    // The lease ended during an outage of the store, and the act goes on.
    if (known) Object.assign(known, { tries, leaseEnd });
    else {
      const done = Promise.resolve()
        .then(() => this.carryOut(effect))
        .catch(failed)
        .finally(() => this.underWay.delete(effect.id));
      this.underWay.set(effect.id, { tries, leaseEnd, done });
      if (this.underWay.size === 1) this.scheduleRenewal();
    }
  }

  private scheduleRenewal(): void {
    const { clock, failed } = this.context;
    clock.after(RENEW_MS, () => {
      if (this.underWay.size === 0) return;
      void this.renew()
        .catch(failed)
        .then(() => this.scheduleRenewal());
    });
  }

  private async renew(): Promise<void> {
    const { clock, store } = this.context;
    const now = clock.now();
    // One whose lease has ended may be another server's by now.
    const held = [...this.underWay].filter(([, { leaseEnd }]) => leaseEnd > now);
    if (held.length === 0) return;
    const until = later(now, LEASE_MS);
    await store.renewEffects(
      held.map(([effectId, { tries }]) => ({ effectId, tries })),
      until,
    );
    for (const [, work] of held) work.leaseEnd = until;
  }

  private async carryOut(effect: Effect): Promise<void> {
    const { clock, store } = this.context;
    const work = this.underWay.get(effect.id) as Work;
    const present = this.context.executors().filter(({ id }) => id === effect.executor);
    // It has left while the store was asked, perhaps for another server, which may claim the effect at once.
    if (present.length === 0 && effect.executor !== null)
      return store.retryEffect(effect.id, clock.now(), 'its executor has left', work.tries);
    const executor = present.find(({ kinds }) => kinds.has(effect.kind));
    if (!executor) return this.giveUp(effect, 'no adapter can do this here');
    if (await this.context.isHeld?.(effect))
      return store.retryEffect(
        effect.id,
        later(clock.now(), HELD_MS),
        'a person has stopped acts',
        work.tries,
      );
    const order = await this.context.claim(effect, await this.evidenceFor(effect));
    if (typeof order === 'string') return this.settle(effect, 'cancelled', order);
    // The store answered too late to act safely within the lease; the next claim carries it out.
    if (clock.now() > work.leaseEnd - MARGIN_MS) return;
    const result = await this.act(executor, order);
    const { tries } = work;
    switch (result.kind) {
      case 'receipt':
        // Another server may have claimed it meanwhile, and have its receipt already.
        if (clock.now() > work.leaseEnd && (await this.isSettled(effect))) return;
        return this.settle(effect, result.outcome, result.detail);
      case 'dropped':
        return this.settle(effect, 'cancelled', result.detail);
      case 'underway':
        return store.retryEffect(effect.id, result.checkAgainAt, result.detail, tries);
      case 'offered': {
        const { againAt, detail } = result;
        return store.offerEffect(effect.id, { at: clock.now(), againAt, detail, tries });
      }
      case 'failed':
        if (result.retryAt === 'never') return this.giveUp(effect, result.detail);
        if (result.retryAt !== undefined)
          return store.retryEffect(effect.id, result.retryAt, result.detail, tries);
        if (tries >= TRIES_MAX) return this.giveUp(effect, `${result.detail} (${tries} tries)`);
        return store.retryEffect(effect.id, later(clock.now(), backoffMs(tries)), result.detail, tries);
    }
  }

  private async act(executor: Executor, effect: Effect): Promise<ActResult> {
    try {
      return await executor.act(effect);
    } catch (error) {
      return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  /** For a spawn, the checkpoint to start from: the selected one, or the newest with a valid hash. */
  private async evidenceFor(effect: Effect): Promise<ClaimEvidence> {
    if (effect.kind !== 'spawn') return {};
    const { store, sha256, headOf, newSecret } = this.context;
    const spawnKey = newSecret();
    const { agentId, taskId, checkpointId } = effect;
    if (checkpointId !== null) {
      const picked = await readPicked(store, { agentId, taskId }, checkpointId);
      const { hash, flaw } = pickCheckpoint(picked, checkpointId, sha256);
      return {
        spawnKey,
        ...(flaw === undefined ? { checkpointId, checkpointHash: hash } : { checkpointId: null }),
      };
    }
    const chain = await readChain(store, { agentId, taskId, headId: headOf(agentId) }, sha256);
    const choice = chooseCheckpoint(chain, sha256);
    return {
      spawnKey,
      checkpointId: choice.kind === 'chosen' ? choice.checkpoint.checkpointId : null,
      checkpointsSkipped: choice.skipped.length,
    };
  }

  private async isSettled({ id }: Effect): Promise<boolean> {
    const stored = await this.context.store.readEffect(id);
    return stored !== null && stored.outcome !== null;
  }

  /** The receipt is folded in first: a crash before the settle repeats the receipt, which is idempotent. */
  private async settle(effect: Effect, outcome: Settlement['outcome'], detail: string): Promise<void> {
    await this.context.receive(effect, outcome, detail);
    await this.context.store.settleEffect(effect.id, { at: this.context.clock.now(), outcome, detail });
  }

  private async giveUp(effect: Effect, detail: string): Promise<void> {
    this.context.attention(
      effect,
      `${effect.kind} for ${effect.agentId} could not be carried out: ${detail}`,
    );
    await this.context.receive(effect, 'refused', detail);
    await this.context.store.settleEffect(effect.id, {
      at: this.context.clock.now(),
      outcome: 'refused',
      detail,
      isDead: true,
    });
  }
}

/** 1 s, 2 s, 4 s … 5 min. */
const backoffMs = (tries: number): Instant =>
  instant(Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (tries - 1)));
