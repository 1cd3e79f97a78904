import type { Effect, EffectKind, Instant } from '@holter/core';
import { later } from '@holter/core';
import type { Clock } from '../../engine/clock.ts';
import type { ActResult, Executor } from '../../engine/executor.ts';
import type { Channel, ChannelNotice, Delivery } from './channel.ts';

type Notify = Extract<Effect, { kind: 'notify' }>;

type ExecutorContext = {
  readonly channels: readonly Channel[];
  readonly clock: Clock;
  /** Called when a working channel first gives up on a notice, to report that through the other channels. */
  readonly failed: (notice: Notify, channel: string, detail: string) => Promise<void>;
};

/** Shorter than the outbox's lease, so that a delivery ends before another server can claim the notice. */
const DELIVERY_MS_MAX = 20_000;
/** Most concurrent deliveries per channel, so that a slow channel can't occupy the whole outbox. */
const UNDER_WAY_MAX = 4;
const QUEUED_MS = 1_000;
/** A notice that waits to be read is offered again only to check that it is still wanted. */
const OFFER_AGAIN_MS = 10 * 60_000;
const FAILURES_MAX = 10;
const BACKOFF_MS_MIN = 1_000;
const BACKOFF_MS_MAX = 5 * 60_000;
/** Upper bound for a retry delay that the other side asks for. */
const RETRY_MS_MAX = 3_600_000;
/** For notices stored before channels existed. */
const DEFAULT_CHANNEL = 'page';

/** Delivers notices to people, each copy through its own channel. */
export class ChannelExecutor implements Executor {
  readonly name = 'channels';
  readonly id = null;
  readonly kinds: ReadonlySet<EffectKind> = new Set<EffectKind>(['notify']);
  private readonly context: ExecutorContext;
  private readonly underWay = new Map<string, number>();
  /** Failures of each copy. Not stored: a restart resets the count, which only adds a few tries. */
  private readonly failures = new Map<string, number>();
  /** Channels that gave up on a notice and have delivered none since. */
  private readonly down = new Set<string>();

  constructor(context: ExecutorContext) {
    this.context = context;
  }

  async act(effect: Effect): Promise<ActResult> {
    if (effect.kind !== 'notify') return { kind: 'failed', detail: `${effect.kind} is no notice` };
    const { channels, clock } = this.context;
    const name = effect.via?.channel ?? DEFAULT_CHANNEL;
    const channel = channels.find((each) => each.name === name);
    if (!channel) return receipt('refused', `there is no channel ${name} any more`);
    const count = this.underWay.get(name) ?? 0;
    if (count >= UNDER_WAY_MAX)
      return underway(later(clock.now(), QUEUED_MS), `other notices go through ${name} before it`);
    this.underWay.set(name, count + 1);
    const delivery = await this.deliver(channel, noticeOf(effect)).finally(() => {
      this.underWay.set(name, (this.underWay.get(name) ?? 1) - 1);
    });
    return this.resultOf(effect, channel, delivery);
  }

  private async resultOf(effect: Notify, channel: Channel, delivery: Delivery): Promise<ActResult> {
    const { clock } = this.context;
    const { detail } = delivery;
    switch (delivery.kind) {
      case 'posted':
        this.failures.delete(effect.id);
        this.down.delete(channel.name);
        return receipt('posted', detail);
      case 'waits':
        return underway(later(clock.now(), OFFER_AGAIN_MS), detail);
      case 'refused':
        await this.giveUp(effect, channel, detail);
        return { kind: 'failed', detail, retryAt: 'never' };
      case 'failed': {
        const failures = (this.failures.get(effect.id) ?? 0) + 1;
        if (failures >= (channel.failuresMax ?? FAILURES_MAX)) {
          const given = `${detail} (${failures} tries)`;
          await this.giveUp(effect, channel, given);
          return { kind: 'failed', detail: given, retryAt: 'never' };
        }
        this.failures.set(effect.id, failures);
        const backoff = later(clock.now(), Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (failures - 1)));
        const asked = Math.min(delivery.retryAt ?? 0, clock.now() + RETRY_MS_MAX) as Instant;
        return { kind: 'failed', detail, retryAt: asked > backoff ? asked : backoff };
      }
    }
  }

  private async giveUp(effect: Notify, { name }: Channel, detail: string): Promise<void> {
    this.failures.delete(effect.id);
    // A failed notice about a failed channel is only recorded: reporting it too could go on forever.
    if (this.down.has(name) || effect.failedChannel !== undefined) return;
    this.down.add(name);
    await this.context.failed(effect, name, detail);
  }

  private async deliver(channel: Channel, notice: ChannelNotice): Promise<Delivery> {
    const { clock } = this.context;
    const aborter = new AbortController();
    let stop: () => void = () => undefined;
    const late = new Promise<Delivery>((resolve) => {
      stop = clock.after(DELIVERY_MS_MAX, () => {
        aborter.abort();
        resolve({ kind: 'failed', detail: `no answer within ${DELIVERY_MS_MAX / 1_000} s` });
      });
    });
    try {
      const context = { now: clock.now(), signal: aborter.signal };
      return await Promise.race([channel.deliver(notice, context), late]);
    } catch (error) {
      return { kind: 'failed', detail: error instanceof Error ? error.message : String(error) };
    } finally {
      stop();
    }
  }
}

function noticeOf({ id, via, agentId, audience, severity, message, incidentId }: Notify): ChannelNotice {
  return { key: id, noticeId: via?.noticeId ?? id, agentId, audience, severity, message, incidentId };
}

const receipt = (outcome: 'posted' | 'refused', detail: string): ActResult => ({
  kind: 'receipt',
  outcome,
  detail,
});

const underway = (checkAgainAt: Instant, detail: string): ActResult => ({
  kind: 'underway',
  checkAgainAt,
  detail,
});
