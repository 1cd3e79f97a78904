import { hostname } from 'node:os';
import { type Alerts, connectAlerts } from './alerts/index.ts';
import type { UnreadNotices } from './channels/index.ts';
import type { Config } from './config/load.ts';
import type { Clock } from './engine/clock.ts';
import { Engine } from './engine/engine.ts';
import { ReplyQueue } from './engine/reply-queue.ts';
import type { Logger } from './logging/logger.ts';
import { shippedPrices } from './prices/index.ts';
import { realDice } from './real-clock.ts';
import type { Store } from './store/store.ts';
import type { Traces } from './tracing/index.ts';
import { DeadManPing, type EstopWatch } from './upkeep/index.ts';

type EngineParts = {
  readonly store: Store;
  readonly clock: Clock;
  /** Of this server; null before it listens. */
  readonly url: () => string | null;
  readonly traces: Traces;
  readonly hindrances: () => readonly string[];
  readonly estop: EstopWatch['read'];
  /** A data folder has one engine: its lock says so. A PostgreSQL database may have several. */
  readonly isAlone: boolean;
  readonly sha256: (text: string) => string;
};

type EngineSettings = { readonly config: Config; readonly logger: Logger; readonly isDemo: boolean };

/** The engine with what it acts through: replies to agents, and alerts to people. */
export function assembleEngine(
  { store, clock, url, traces, hindrances, estop, isAlone, sha256 }: EngineParts,
  { config, logger, isDemo }: EngineSettings,
): { engine: Engine; replies: ReplyQueue; notices: UnreadNotices; alerts: Alerts; ping: DeadManPing } {
  const replies: ReplyQueue = new ReplyQueue(clock, (effect, outcome, detail) =>
    engine.receive(effect, outcome, detail),
  );
  const { alerts, executor, channelsFor, notices } = connectAlerts({
    store,
    clock,
    engine: () => engine,
    channels: isDemo ? [] : config.channels,
    url,
    desktop: { env: process.env, platform: process.platform, terminal: '/dev/tty' },
    newId: realDice.newId,
    ping: () => ping.state,
    hindrances,
    failed: (error) => logger.error({ err: error }, 'alerts were not looked at'),
  });
  const ping: DeadManPing = new DeadManPing({
    clock,
    troubles: () => alerts.troubles,
    logger,
  });
  const engine: Engine = new Engine({
    store,
    clock,
    policies: config.policies,
    prices: shippedPrices().table,
    ...{ executors: [replies, executor], channelsFor, estop },
    sha256,
    ...realDice,
    isAlone,
    name: () => `${hostname()}${url() === null ? '' : ` (${url()})`}`,
    checked: (check) => traces.checked(check),
    onBug: (error) => logger.error({ err: error }, 'a bug in Holter: the agent is left as it was'),
  });
  replies.follow(engine);
  return { engine, replies, notices, alerts, ping };
}
