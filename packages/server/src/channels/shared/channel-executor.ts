import type { Effect, EffectKind, Instant } from '@holter/core';
import { later } from '@holter/core';
import type { Clock } from '../../engine/clock.ts';
import type { ActResult, Executor } from '../../engine/executor.ts';
import { messageOf } from './alert-message.ts';
import type { Channel, ChannelNotice, Delivery } from './channel.ts';

export type Notify = Extract<Effect, { kind: 'notify' }>;

type ExecutorContext = {
  readonly channels: readonly Channel[];
  readonly alerts?: AlertSide;
  readonly clock: Clock;
  /** Called when a working channel first gives up on a notice, to report that through the other channels. */
  readonly failed: (notice: Notify, channel: string, detail: string) => Promise<void>;
};

/** What alerts need beyond notices. */
export type AlertSide = {
  /** As they are defined now. */
  readonly channels: () => readonly Channel[];
  /** Where people reach the page, for links; null until it is known. */
  readonly baseUrl: () => string | null;
  /** Asked right before an alert is sent: it may be over by now. */
  readonly verdict: (alert: Notify) => Promise<AlertVerdict>;
  /** Called after each try, for what is shown of a channel. */
  readonly tried: (channel: string, delivery: Delivery) => void;
};

export type AlertVerdict =
  | { readonly kind: 'send' }
  | { readonly kind: 'wait'; readonly detail: string }
  | { readonly kind: 'drop'; readonly detail: string };

/** Shorter than the outbox's lease, so that a delivery ends before another server can claim the notice. */
const DELIVERY_MS_MAX = 20_000;
/** Most concurrent deliveries per channel, so that a slow channel can't occupy the whole outbox. */
const UNDER_WAY_MAX = 4;
const QUEUED_MS = 1_000;
const MINUTE_MS = 60_000;
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
  private readonly buckets = new Map<string, { tokens: number; at: Instant }>();
  /** Failures of each copy. Not stored: a restart resets the count, which only adds a few tries. */
  private readonly failures = new Map<string, number>();
  /** Channels that gave up on a notice and have delivered none since. */
  private readonly down = new Set<string>();

  constructor(context: ExecutorContext) {
    this.context = context;
  }

  async act(effect: Effect): Promise<ActResult> {
    if (effect.kind !== 'notify') return { kind: 'failed', detail: `${effect.kind} is no notice` };
    const { channels, clock, alerts } = this.context;
    const name = effect.via?.channel ?? DEFAULT_CHANNEL;
    const channel = [...channels, ...(alerts?.channels() ?? [])].find((each) => each.name === name);
    if (!channel) return receipt('refused', `there is no channel ${name} any more`);
    const wanted = effect.alert && alerts ? await alerts.verdict(effect) : { kind: 'send' as const };
    if (wanted.kind === 'drop') return { kind: 'dropped', detail: wanted.detail };
    if (wanted.kind === 'wait') return underway(later(clock.now(), QUEUED_MS), wanted.detail);
    const count = this.underWay.get(name) ?? 0;
    if (count >= UNDER_WAY_MAX)
      return underway(later(clock.now(), QUEUED_MS), `other notices go through ${name} before it`);
    const freeAt = this.takeToken(channel);
    if (freeAt !== null) return underway(freeAt, `${name} takes ${channel.perMinute} notices a minute`);
    this.underWay.set(name, count + 1);
    const delivery = await this.deliver(channel, effect).finally(() => {
      this.underWay.set(name, (this.underWay.get(name) ?? 1) - 1);
    });
    alerts?.tried(name, delivery);
    return this.resultOf(effect, channel, delivery);
  }

  /** Takes one of the channel's tokens; else says when there will be one. */
  private takeToken({ name, perMinute }: Channel): Instant | null {
    if (perMinute === undefined) return null;
    const now = this.context.clock.now();
    const burst = Math.max(1, perMinute);
    const bucket = this.buckets.get(name) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perMinute) / MINUTE_MS);
    this.buckets.set(name, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens < 1 ? later(now, Math.ceil(((1 - tokens) * MINUTE_MS) / perMinute)) : null;
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

  /** One try, whatever was tried before and however many are under way. */
  async deliver(channel: Channel, effect: Notify): Promise<Delivery> {
    const { clock, alerts } = this.context;
    const notice = noticeOf(effect, alerts?.baseUrl() ?? null);
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

function noticeOf(effect: Notify, baseUrl: string | null): ChannelNotice {
  const { id, via, agentId, audience, severity, message, incidentId } = effect;
  const alert = messageOf(effect, baseUrl);
  return { key: id, noticeId: via?.noticeId ?? id, agentId, audience, severity, message, incidentId, alert };
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
