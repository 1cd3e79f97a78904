import { createHash } from 'node:crypto';
import { type Registration, type SignalBody, seconds } from '@holter/core';
import { type Alerts, connectAlerts } from '../../src/alerts/index.ts';
import type { ChannelConfig } from '../../src/channels/index.ts';
import { resolveChannels } from '../../src/config/channels.ts';
import { Engine } from '../../src/engine/engine.ts';
import { compile, type HolterConfig } from '../../src/policy/index.ts';
import type { Store } from '../../src/store/store.ts';
import type { ManualClock } from '../manual-clock.ts';

/** Real sockets take real time. */
const underWay = new Set<Promise<unknown>>();

export type AlertServer = {
  readonly engine: Engine;
  readonly alerts: Alerts;
  readonly stop: () => Promise<void>;
};

/** An engine with alerts around a store; what a server is made of, without HTTP. */
export async function startAlerts(
  store: Store,
  clock: ManualClock,
  config: HolterConfig,
  isAlone = true,
): Promise<AlertServer> {
  const compiled = compile(config);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
  const { policies } = compiled;
  const resolved = resolveChannels(policies.channels, { env: {}, read: () => '' });
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  const channels: readonly ChannelConfig[] = resolved.channels;
  const failed = (error: unknown): never => {
    throw error;
  };
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const { alerts, executor, channelsFor } = connectAlerts({
    store,
    clock,
    engine: () => engine,
    channels,
    url: () => 'http://127.0.0.1:4658',
    ping: () => null,
    hindrances: () => [],
    desktop: { env: {}, platform: 'test', terminal: '/dev/null' },
    newId,
    failed,
  });
  const { deliver } = executor;
  executor.deliver = (...args) => {
    const delivery = deliver.apply(executor, args).finally(() => underWay.delete(delivery));
    underWay.add(delivery);
    return delivery;
  };
  const engine: Engine = new Engine({
    store,
    clock,
    policies,
    executors: [executor],
    channelsFor,
    isAlone,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId,
    newSecret: () => 'secret',
    onBug: failed,
  });
  await engine.start();
  alerts.start();
  return {
    engine,
    alerts,
    stop: async () => {
      await alerts.stop();
      await engine.stop();
    },
  };
}

export const register = (engine: Engine, agentId: string, more: Partial<Registration> = {}) =>
  engine.register({
    agentId,
    instanceId: `${agentId}-1`,
    role: 'active-development',
    group: 'crew',
    mode: 'nudge',
    promises: { beatEveryMs: seconds(3_600), turns: true },
    can: [],
    executor: null,
    ...more,
  });

export const say = (engine: Engine, agentId: string, signal: SignalBody) =>
  engine.signal({ agentId, incarnation: 1, ...signal }, 'agent');

/** An incident that asks for a decision at once. */
export const fail = (engine: Engine, agentId: string) =>
  say(engine, agentId, { kind: 'error', message: 'no disk', isUnrecoverable: true });

const PASSING_MS_MAX = 20_000;

/** Lets time pass in small steps until it is so. It stands still while a request is under way. */
export async function passUntil(
  clock: ManualClock,
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  for (const deadline = Date.now() + PASSING_MS_MAX; Date.now() < deadline; ) {
    await clock.advance(1_000);
    await Promise.all(underWay);
    if (await isSo()) return;
  }
  throw new Error(`not within ${PASSING_MS_MAX} ms: ${what}`);
}
