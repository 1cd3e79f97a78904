import type { AlertNotice, AlertRoute, Effect, Instant } from '@holter/core';
import {
  type AlertSide,
  buildChannel,
  type Channel,
  type ChannelConfig,
  type ChannelExecutor,
  type Delivery,
  type Notify,
} from '../channels/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { alertsForGroup } from '../policy/index.ts';
import type { Store } from '../store/store.ts';
import type { PingState, Trouble } from '../upkeep/index.ts';
import type { AlertState, MaintenanceWindow } from './alert-state.ts';
import { Alerter } from './alerter.ts';
import { effectsOf } from './effects.ts';
import { OutageAlert } from './outage-alert.ts';

export type AlertsContext = {
  readonly store: Pick<Store, 'getMeta' | 'addEffects' | 'readEffect' | 'listAgents'>;
  readonly clock: Clock;
  /** Functions, because both are built with what this offers. */
  readonly engine: () => Engine;
  readonly executor: () => ChannelExecutor;
  readonly channels: readonly ChannelConfig[];
  /** The server's own address; null before it listens. */
  readonly url: () => string | null;
  readonly desktop: Parameters<typeof buildChannel>[1];
  readonly newId: () => string;
  /** The ping to the outside; null when there is none. */
  readonly ping: () => PingState | null;
  /** What hinders the database, as sentences. */
  readonly hindrances: () => readonly string[];
  readonly failed: (error: unknown) => void;
};

/** Why the judge asks no model although it should. */
type TroubledJudge = { readonly trouble: { readonly says: string; readonly since: Instant } | null };

const OUTAGE_LOOK_MS = 5_000;

/** Alerts as the server and its API use them: the channels that are defined, the rules, and what is shown of both. */
export class Alerts {
  private readonly context: AlertsContext;
  private readonly alerter: Alerter;
  private readonly outage: OutageAlert;
  private configs: readonly ChannelConfig[];
  private built: readonly Channel[];
  private cancel: () => void = () => undefined;
  private judge: TroubledJudge | null = null;

  constructor(context: AlertsContext) {
    this.context = context;
    this.configs = context.channels;
    this.built = this.build();
    const { store, clock, engine, failed, ping, hindrances } = context;
    this.alerter = new Alerter({
      store,
      clock,
      engine,
      failed,
      ping,
      hindrances,
      judge: () => this.judge?.trouble ?? null,
      channels: () => this.built,
    });
    this.outage = new OutageAlert({
      health: () => engine().health,
      channels: () => this.ownRoute().channels,
      send: (channel, notice) => this.sendUnstored(channel, notice),
    });
  }

  /** It is built after the alerts. */
  watchJudge(judge: TroubledJudge): void {
    this.judge = judge;
  }

  /** What sends alerts. */
  get side(): AlertSide {
    return {
      channels: () => this.built,
      baseUrl: () => this.context.engine().currentPolicies.publicUrl ?? this.context.url(),
      verdict: this.alerter.verdict,
      tried: this.alerter.tried,
    };
  }

  start(): void {
    this.alerter.start();
    const look = (): void => {
      this.outage.look(this.context.clock.now());
      this.cancel = this.context.clock.after(OUTAGE_LOOK_MS, look);
    };
    look();
  }

  async stop(): Promise<void> {
    this.cancel();
    await this.alerter.stop();
  }

  /** The channels of a configuration that was read again. */
  setChannels(channels: readonly ChannelConfig[]): void {
    this.configs = channels;
    this.built = this.build();
  }

  get defined(): readonly { readonly name: string; readonly type: ChannelConfig['type'] }[] {
    return this.configs.map(({ name, type }) => ({ name, type }));
  }

  /** What is wrong with Holter itself, by which it is unwell. */
  get troubles(): readonly Trouble[] {
    return this.alerter.troubles;
  }

  get ping(): PingState | null {
    return this.context.ping();
  }

  get state(): AlertState | null {
    return this.alerter.current;
  }

  /** Sends a test notice at once; null when there is no such channel. */
  async test(name: string, by: string): Promise<Delivery | null> {
    const channel = this.built.find((each) => each.name === name);
    if (!channel) return null;
    const id = `alert/test-${this.context.newId()}`;
    // What becomes of it is noted with what is known of the channel; a test does not need the store.
    await this.alerter.look().catch(this.alerter.noteFailure);
    return this.deliver(channel, testEffect(id, name, `Test of the channel ${name}, sent by ${by}`));
  }

  addWindow(window: MaintenanceWindow): Promise<void> {
    return this.alerter.addWindow(window);
  }

  removeWindow(group: string): Promise<boolean> {
    return this.alerter.removeWindow(group);
  }

  private build(): readonly Channel[] {
    return this.configs.map((config) => buildChannel(config, this.context.desktop));
  }

  /** Where alerts about Holter itself go. */
  private ownRoute(): AlertRoute {
    return alertsForGroup(this.context.engine().currentPolicies, '').holter_unwell;
  }

  private async sendUnstored(
    name: string,
    notice: Omit<AlertNotice, 'channels' | 'severity'>,
  ): Promise<Delivery> {
    const channel = this.built.find((each) => each.name === name);
    const whole = { ...notice, ...this.ownRoute(), channels: [name] };
    const [effect] = channel ? effectsOf(whole, [channel], this.context.clock.now()) : [];
    if (!channel || effect?.kind !== 'notify')
      return { kind: 'refused', detail: 'it is not defined any more' };
    return this.deliver(channel, effect);
  }

  private async deliver(channel: Channel, effect: Notify): Promise<Delivery> {
    const delivery = await this.context.executor().deliver(channel, effect);
    this.alerter.tried(channel.name, delivery);
    return delivery;
  }
}

const testEffect = (id: string, channel: string, message: string): Extract<Effect, { kind: 'notify' }> => ({
  id: `${id}/to/${channel}`,
  agentId: 'fleet:',
  incarnation: 0,
  executor: null,
  livesBy: 'fleet:',
  kind: 'notify',
  audience: 'operator',
  severity: 'info',
  message,
  incidentId: null,
  via: { channel, noticeId: id },
});
