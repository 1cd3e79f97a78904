import {
  type AlertNotice,
  alertTimes,
  type Condition,
  type Effect,
  type Hard,
  type Instant,
  stepAlerts,
} from '@holter/core';
import type { AlertVerdict, Channel, Delivery, Notify } from '../channels/index.ts';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { policyOfAgent } from '../policy/index.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import type { PingState, Trouble } from '../upkeep/index.ts';
import {
  type AlertState,
  type ChannelState,
  type MaintenanceWindow,
  STATE_KEY,
  stateOf,
  storedOf,
  withTries,
} from './alert-state.ts';
import { conditionsAt, FAILURES_TOLD, holterTroubles, isTelling } from './conditions.ts';
import { effectsOf } from './effects.ts';
import { withOffers } from './offers.ts';

type AlerterContext = {
  readonly store: Pick<Store, 'getMeta' | 'addEffects' | 'readEffect' | 'listAgents'>;
  readonly clock: Clock;
  /** A function, because the engine is built with what sends alerts. */
  readonly engine: () => Pick<
    Engine,
    'onFollowed' | 'freshen' | 'brakes' | 'health' | 'currentPolicies' | 'recordVersion' | 'isStarterGone'
  >;
  /** Channels that send, as they are defined now. */
  readonly channels: () => readonly Channel[];
  readonly ping: () => PingState | null;
  readonly hindrances: () => readonly string[];
  readonly judge: () => { readonly says: string; readonly since: Instant } | null;
  readonly failed: (error: unknown) => void;
};

const LOOK_MS = 5_000;
const PAGE = 500;

/**
 * Watches for conditions that people should know, and orders one notice for each through the outbox. The rules are
 * `stepAlerts` in core. What was told is stored in the same transaction as the notices, so that a restart neither
 * repeats nor forgets one.
 */
export class Alerter {
  private readonly context: AlerterContext;
  private readonly agents = new Map<string, Hard>();
  private state: AlertState | null = null;
  /** The stored state as this server last read or wrote it; another server may have written since. */
  private stored: string | null = null;
  private isLoaded = false;
  private looking: Promise<void> = Promise.resolve();
  private cancel: () => void = () => undefined;
  private stopFollowing: () => void = () => undefined;
  private isStopped = false;

  constructor(context: AlerterContext) {
    this.context = context;
  }

  /** Begins to look; before that, nothing is sent. */
  start(): void {
    const engine = this.context.engine();
    this.stopFollowing = engine.onFollowed(({ stored }) => {
      if (stored) this.take(engine.freshen(stored.agent).hard);
    });
    this.schedule();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    this.stopFollowing();
    await this.looking;
  }

  /** Whether an alert that was ordered earlier may still be sent through its channel. */
  verdict = async ({ alert, via }: Notify): Promise<AlertVerdict> => {
    if (!alert || !via) return { kind: 'send' };
    // The look that ordered it may not have noted yet that it is stored.
    await this.looking;
    const { state } = this;
    if (!state) return { kind: 'wait', detail: 'what was told is not known yet' };
    const { alertId, action, number } = alert;
    if (action === 'acknowledge' || action === 'resolve') return this.wasTold(alertId, number, via.channel);
    const open = state.book.alerts[alertId];
    if (!open) return { kind: 'drop', detail: 'it was over before it could be told' };
    const present = new Set(this.conditions(state).map(({ key }) => key));
    return open.keys.some((key) => present.has(key))
      ? { kind: 'send' }
      : { kind: 'wait', detail: 'it seems to be over' };
  };

  /** Keeps what became of a try, with the next look. */
  tried = (channel: string, delivery: Delivery): void => {
    const { state } = this;
    if (!state || delivery.kind === 'waits') return;
    const at = this.context.clock.now();
    const before: ChannelState = state.channels[channel] ?? { failures: 0 };
    const isPosted = delivery.kind === 'posted';
    const after: ChannelState = isPosted
      ? { ...before, postedAt: at, failures: 0 }
      : {
          ...before,
          failedAt: at,
          failure: delivery.detail,
          failures: before.failures + (delivery.kind === 'refused' ? FAILURES_TOLD : 1),
        };
    this.state = { ...state, channels: { ...state.channels, [channel]: after } };
  };

  /** That the store is away is told otherwise; what is to be told waits for it. */
  noteFailure = (error: unknown): void => {
    if (!(error instanceof StoreUnavailable)) this.context.failed(error);
  };

  /** What was told, what became of each channel, and which groups are in maintenance; null before it is known. */
  get current(): AlertState | null {
    return this.state;
  }

  /** Resolves when it is durable. */
  addWindow(window: MaintenanceWindow): Promise<void> {
    const isOther = ({ group, until }: MaintenanceWindow, at: Instant): boolean =>
      until > at && group !== window.group;
    return this.change((windows, at) => [...windows.filter((each) => isOther(each, at)), window]);
  }

  /** Whether there was one. */
  async removeWindow(group: string): Promise<boolean> {
    let isRemoved = false;
    await this.change((windows, at) => {
      isRemoved = windows.some((window) => window.group === group && window.until > at);
      return windows.filter((window) => window.group !== group);
    });
    return isRemoved;
  }

  /** Looks once; looks never overlap. */
  look(): Promise<void> {
    const next = this.looking.then(() => this.lookOnce());
    this.looking = next.catch(() => undefined);
    return next;
  }

  private schedule(): void {
    if (this.isStopped) return;
    this.cancel = this.context.clock.after(LOOK_MS, () => {
      void this.look()
        .catch(this.noteFailure)
        .then(() => this.schedule());
    });
  }

  private async change(
    edit: (windows: readonly MaintenanceWindow[], at: Instant) => readonly MaintenanceWindow[],
  ): Promise<void> {
    const next = this.looking.then(async () => {
      for (let isSaved = false; !isSaved; ) {
        const state = await this.load();
        const windows = edit(state.windows, this.context.clock.now());
        isSaved = await this.save({ ...state, windows }, []);
        if (isSaved) this.state = { ...(this.state as AlertState), windows };
      }
    });
    this.looking = next.catch(() => undefined);
    await next;
  }

  private async lookOnce(): Promise<void> {
    const { clock, channels } = this.context;
    for (let isSaved = false; !isSaved; ) {
      await this.load();
      const at = clock.now();
      // A try may end while the state is being saved, so it is read and replaced without a pause in between.
      const state = this.state as AlertState;
      const conditions = this.conditions(state);
      const { book, notices } = stepAlerts(state.book, conditions, at, alertTimes);
      const effects = notices.flatMap((notice) => effectsOf(this.offering(notice, at), channels(), at));
      const next = { ...state, book };
      isSaved = storedOf(next) === this.stored || (await this.save(next, effects));
      if (isSaved) this.state = { ...(this.state as AlertState), book };
    }
  }

  /** What is wrong with Holter itself. */
  get troubles(): readonly Trouble[] {
    return holterTroubles(this.world(this.state ?? stateOf(null)), this.context.clock.now());
  }

  private conditions(state: AlertState): readonly Condition[] {
    return conditionsAt(this.world(state), this.context.clock.now());
  }

  private world(state: AlertState): Parameters<typeof conditionsAt>[0] {
    const { engine, ping, hindrances, judge } = this.context;
    const { brakes, health, currentPolicies: policies } = engine();
    const own = { ping: ping(), hindrances: hindrances(), judge: judge() };
    return { agents: this.agents, brakes, health, policies, state, ...own };
  }

  private offering(notice: AlertNotice, at: Instant): AlertNotice {
    const engine = this.context.engine();
    const { currentPolicies: policies } = engine;
    const context = {
      hardOf: (agentId: string) => this.agents.get(agentId),
      policyOf: (hard: Hard) => policyOfAgent(policies, hard),
      isStarterGone: (executor: string | null) => engine.isStarterGone(executor),
    };
    return withOffers(notice, context, at);
  }

  /** False when another server has saved first: its state comes first, and the look is repeated. */
  private async save(state: AlertState, effects: readonly Effect[]): Promise<boolean> {
    const value = storedOf(state);
    const { store, clock, engine } = this.context;
    const isSaved = await store.addEffects(
      {
        effects,
        at: clock.now(),
        correlationId: STATE_KEY,
        swap: { key: STATE_KEY, expected: this.stored, value },
      },
      engine().recordVersion,
    );
    if (isSaved) this.stored = value;
    return isSaved;
  }

  private async load(): Promise<AlertState> {
    const { store, engine } = this.context;
    const stored = await store.getMeta(STATE_KEY);
    if (this.state === null || stored !== this.stored)
      this.state = withTries(stateOf(stored), this.state?.channels ?? {});
    this.stored = stored;
    if (!this.isLoaded) {
      let cursor: string | undefined;
      do {
        const page = await store.listAgents({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
        for (const { agent } of page.items) this.take(engine().freshen(agent).hard);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      this.isLoaded = true;
    }
    return this.state;
  }

  private take(hard: Hard): void {
    const known = this.agents.get(hard.agentId);
    if (known && known.at > hard.at) return;
    if (isTelling(hard)) this.agents.set(hard.agentId, hard);
    else this.agents.delete(hard.agentId);
  }

  /** An end is told only where the beginning was. */
  private async wasTold(alertId: string, number: number, channel: string): Promise<AlertVerdict> {
    for (let earlier = number - 1; earlier >= 1; earlier--) {
      const told = await this.context.store.readEffect(`${alertId}/${earlier}/to/${channel}`);
      if (told?.outcome === 'posted') return { kind: 'send' };
      if (told && told.outcome === null)
        return { kind: 'wait', detail: 'an earlier notice of it goes first' };
    }
    return { kind: 'drop', detail: 'it was not told here' };
  }
}
