/**
 * What a program beside the server needs to tell people something while the server can't: the operator's channels for
 * trouble of Holter itself, and the outside ping. It loads neither HTTP nor the store.
 */

import { effectsOf } from './alerts/effects.ts';
import { type UnwellNotice, unwellNotice } from './alerts/unwell-notice.ts';
import { buildChannel, type Channel, ChannelExecutor, type Delivery } from './channels/index.ts';
import type { Host } from './channels/shared/channel-kind.ts';
import type { Config } from './config/index.ts';
import type { Clock } from './engine/clock.ts';
import { alertsForGroup } from './policy/index.ts';
import { redact } from './redaction/index.ts';
import { pingOutside } from './upkeep/dead-man-ping.ts';

export type { Delivery } from './channels/index.ts';

/** As the operator's file defines it now. */
export class Outside {
  private readonly config: Pick<Config, 'policies' | 'channels' | 'deadMan'>;
  private readonly clock: Clock;
  private readonly built: readonly Channel[];
  private readonly executor: ChannelExecutor;

  constructor(config: Pick<Config, 'policies' | 'channels' | 'deadMan'>, host: Host, clock: Clock) {
    this.config = config;
    this.clock = clock;
    const { channels } = this.route;
    this.built = config.channels
      .filter(({ name }) => channels.includes(name))
      .map((each) => buildChannel(each, host));
    this.executor = new ChannelExecutor({ channels: this.built, clock, failed: async () => undefined });
  }

  get channels(): readonly string[] {
    return this.built.map(({ name }) => name);
  }

  /** Whether somebody outside expects to hear from this server. */
  get hasPing(): boolean {
    return this.config.deadMan !== null;
  }

  /** One try. */
  async send(name: string, notice: UnwellNotice): Promise<Delivery> {
    const channel = this.built.find((each) => each.name === name);
    const whole = { ...unwellNotice(notice), ...this.route, channels: [name] };
    const [effect] = channel ? effectsOf(whole, [channel], this.clock.now()) : [];
    if (!channel || effect?.kind !== 'notify')
      return { kind: 'refused', detail: 'it is not defined any more' };
    return this.executor.deliver(channel, effect);
  }

  /** Tells the one who is pinged that something is wrong. Null when it was taken, else why not. */
  async pingFailure(reason: string): Promise<string | null> {
    const { deadMan } = this.config;
    const { signal } = new AbortController();
    return deadMan && pingOutside(deadMan.url, [redact(reason)], { clock: this.clock, signal });
  }

  private get route() {
    return alertsForGroup(this.config.policies, '').holter_unwell;
  }
}
