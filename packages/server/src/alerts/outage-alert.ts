import { type AlertNotice, type Instant, later, minutes, seconds } from '@holter/core';
import type { Delivery } from '../channels/index.ts';
import type { EngineHealth } from '../engine/engine-options.ts';
import { type UnwellNotice, unwellNotice } from './unwell-notice.ts';

type OutageNotice = Omit<AlertNotice, 'channels' | 'severity'>;

type OutageContext = {
  readonly health: () => Pick<EngineHealth, 'store' | 'storeReason'>;
  /** Channels for alerts about Holter itself. */
  readonly channels: () => readonly string[];
  readonly send: (channel: string, notice: OutageNotice) => Promise<Delivery>;
};

type Outage = {
  readonly since: Instant;
  /** By channel. */
  readonly tellings: Map<string, Telling>;
  isOver: boolean;
};

type Telling = { state: 'due' | 'under way' | 'told' | 'given up'; failures: number; notBefore: number };

const TOLD_AFTER_MS = minutes(1);
const RETRY_MS = seconds(5);
const FAILURES_MAX = 10;

/**
 * Tells that the store is away. Alerts are stored before they are sent, which then is not possible: this one is kept
 * in memory, and tried until each channel has taken it once.
 */
export class OutageAlert {
  private readonly context: OutageContext;
  private outage: Outage | null = null;

  constructor(context: OutageContext) {
    this.context = context;
  }

  look(at: Instant): void {
    const { store, storeReason } = this.context.health();
    if (store === 'ok') return this.end();
    this.outage ??= { since: at, tellings: new Map(), isOver: false };
    const { since, tellings } = this.outage;
    if (at < later(since, TOLD_AFTER_MS)) return;
    const why = `Holter can't write to its store and acts on nothing: ${storeReason ?? 'no reason is known'}`;
    for (const channel of this.context.channels()) {
      const telling = tellings.get(channel) ?? { state: 'due', failures: 0, notBefore: at };
      tellings.set(channel, telling);
      if (telling.state === 'due' && at >= telling.notBefore)
        void this.begin(this.outage, { channel, telling, why, at });
    }
  }

  private end(): void {
    if (!this.outage) return;
    this.outage.isOver = true;
    for (const [channel, { state }] of this.outage.tellings)
      if (state === 'told') this.resolve(this.outage, channel);
    this.outage = null;
  }

  private async begin(
    outage: Outage,
    { channel, telling, why, at }: { channel: string; telling: Telling; why: string; at: Instant },
  ): Promise<void> {
    telling.state = 'under way';
    const delivery = await this.context.send(channel, noticeOf(outage, 'trigger', why));
    if (delivery.kind === 'posted') {
      telling.state = 'told';
      if (outage.isOver) this.resolve(outage, channel);
      return;
    }
    telling.failures += 1;
    const isFinal = delivery.kind === 'refused' || telling.failures >= FAILURES_MAX;
    telling.state = isFinal ? 'given up' : 'due';
    const asked = delivery.kind === 'failed' ? (delivery.retryAt ?? 0) : 0;
    telling.notBefore = Math.max(asked, at + RETRY_MS * 2 ** (telling.failures - 1));
  }

  /** Where the beginning was told; one try, because an end that is not told does no harm. */
  private resolve(outage: Outage, channel: string): void {
    void this.context.send(channel, noticeOf(outage, 'resolve', 'Holter can write to its store again'));
  }
}

const noticeOf = ({ since }: Outage, action: UnwellNotice['action'], summary: string): OutageNotice =>
  unwellNotice({ alertId: `alert/store-${since.toString(36)}`, action, summary, since });
