import type { Effect, EffectKind, Instant } from '@holter/core';
import { later } from '@holter/core';
import type { Clock } from '../../engine/clock.ts';
import type { ActResult, Executor } from '../../engine/executor.ts';
import type { Channel, ChannelNotice, Delivery } from './channel.ts';

type Notify = Extract<Effect, { kind: 'notify' }>;

type ExecutorContext = {
  readonly channels: readonly Channel[];
  readonly clock: Clock;
  /** A channel has given up on this notice, and did not before: tell it through the others. */
  readonly failed: (notice: Notify, channel: string, detail: string) => Promise<void>;
};

/** Shorter than the outbox's lease, or a second server's claim could meet the first one's delivery. */
const DELIVERY_MS_MAX = 20_000;
/** Deliveries of one channel at once: a slow one must not take all places of the outbox. */
const UNDER_WAY_MAX = 4;
const QUEUED_MS = 1_000;
/** What waits to be read is offered again only to find out that it is not wanted any more. */
const OFFER_AGAIN_MS = 10 * 60_000;
const FAILURES_MAX = 10;
const BACKOFF_MS_MIN = 1_000;
const BACKOFF_MS_MAX = 5 * 60_000;
/** However long the other side asks to be left alone. */
const RETRY_MS_MAX = 3_600_000;
/** Notices from before there were channels; the page shows what every channel of people shows. */
const DEFAULT_CHANNEL = 'page';

/** Carries notices to people, each copy through its own channel. */
export class ChannelExecutor implements Executor {
  readonly name = 'channels';
  readonly id = null;
  readonly kinds: ReadonlySet<EffectKind> = new Set<EffectKind>(['notify']);
  private readonly context: ExecutorContext;
  private readonly underWay = new Map<string, number>();
  /** Failures of each copy; a restart starts counting again, which costs some tries more. */
  private readonly failures = new Map<string, number>();
  /** Channels that have given up on a notice, and taken none since. */
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
    // A notice about a dead channel that dies itself stays on record: to tell that as well would never end.
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
