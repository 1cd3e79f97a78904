import { checkPositive, OptionError, refuseUnknown } from '../option-error.ts';
import type { RecoverAgent, RecoveryStrategy } from './events.ts';

/** How an `AgentHealthMonitor` watches. Every option has a default; times are milliseconds. */
export type AgentHealthConfig = {
  /**
   * Three deployments as a starting point for the options below:
   * `development` notices within 2 s, `production` within 4 s, `high-tolerance` within 9 s.
   * @default 'production'
   */
  readonly preset?: HealthPreset | undefined;
  /**
   * An agent without activity for this long counts as idle, which is healthy while it answers pings.
   * Without pings (`enableHeartbeats: false`) it becomes `degraded`, since there is no other sign of life.
   * @default 5000
   */
  readonly activityTimeout?: number | undefined;
  /**
   * How often each agent is pinged.
   * @default 2000
   */
  readonly heartbeatInterval?: number | undefined;
  /**
   * How long an answer may take. A ping that is unanswered for this long is the first missed beat, and the
   * agent is `degraded`. At most `heartbeatInterval`.
   * @default 1000
   */
  readonly heartbeatTimeout?: number | undefined;
  /**
   * An agent is `disconnected` this many intervals after its last sign of life: 2 × 2 s = 4 s.
   * @default 2
   */
  readonly maxMissedBeats?: number | undefined;
  /**
   * Whether the agent's own events count as signs of life.
   * @default true
   */
  readonly enableActivityTracking?: boolean | undefined;
  /**
   * Whether agents are pinged.
   * @default true
   */
  readonly enableHeartbeats?: boolean | undefined;
  /**
   * The agent's events that are activity.
   * @default response_generated, tool_executed, message_processed, config_updated, personality_updated
   */
  readonly activityEvents?: readonly string[] | undefined;
  /**
   * The thread that notices a blocked event loop, which the monitor itself can't. `report` writes one line
   * to stderr, `exit` also ends the process (see `startWatchdog`), `off` starts no thread.
   * @default 'report'
   */
  readonly watchdog?: 'report' | 'exit' | 'off' | undefined;
  /**
   * What to do about a disconnected agent. `alert` emits `agent-health-critical`; `restart` and `replace`
   * call `recover`; `none` leaves it to listeners. Can be set for each agent.
   * @default 'alert'
   */
  readonly recoveryStrategy?: RecoveryStrategy | undefined;
  /**
   * Brings an agent back, for `restart` and `replace`. It may return a new emitter for the same name;
   * `replace` has to. The agent has recovered when it is heard again, not when this returns.
   */
  readonly recover?: RecoverAgent | undefined;
  /**
   * How often recovery is tried before `agent-health-critical` calls for a person.
   * @default 3
   */
  readonly maxRecoveryAttempts?: number | undefined;
  /**
   * Wait before the second attempt; it doubles with each further one.
   * @default 1000
   */
  readonly recoveryBackoff?: number | undefined;
  /**
   * How long `recover` may take.
   * @default 30000
   */
  readonly recoveryTimeout?: number | undefined;
};

export type HealthPreset = 'development' | 'production' | 'high-tolerance';

export type FullConfig = {
  readonly activityTimeout: number;
  readonly heartbeatInterval: number;
  readonly heartbeatTimeout: number;
  readonly maxMissedBeats: number;
  readonly enableActivityTracking: boolean;
  readonly enableHeartbeats: boolean;
  readonly activityEvents: readonly string[];
  readonly watchdog: 'report' | 'exit' | 'off';
  readonly recoveryStrategy: RecoveryStrategy;
  readonly recover: RecoverAgent | null;
  readonly maxRecoveryAttempts: number;
  readonly recoveryBackoff: number;
  readonly recoveryTimeout: number;
};

/** The defaults, which are also the preset `production`. */
const DEFAULTS: FullConfig = {
  activityTimeout: 5_000,
  heartbeatInterval: 2_000,
  heartbeatTimeout: 1_000,
  maxMissedBeats: 2,
  enableActivityTracking: true,
  enableHeartbeats: true,
  activityEvents: [
    'response_generated',
    'tool_executed',
    'message_processed',
    'config_updated',
    'personality_updated',
  ],
  watchdog: 'report',
  recoveryStrategy: 'alert',
  recover: null,
  maxRecoveryAttempts: 3,
  recoveryBackoff: 1_000,
  recoveryTimeout: 30_000,
};

const PRESETS: Readonly<Record<HealthPreset, Partial<FullConfig>>> = {
  // Half a second to answer, so that `degraded` comes before `disconnected` here too.
  development: { activityTimeout: 3_000, heartbeatInterval: 1_000, heartbeatTimeout: 500, maxMissedBeats: 2 },
  production: {},
  'high-tolerance': { activityTimeout: 10_000, heartbeatInterval: 3_000, maxMissedBeats: 3 },
};

const STRATEGIES: readonly unknown[] = ['restart', 'replace', 'alert', 'none'];
const WATCHDOGS: readonly unknown[] = ['report', 'exit', 'off'];

export function readConfig(given: AgentHealthConfig): FullConfig {
  refuseUnknown(given, ['preset', ...Object.keys(DEFAULTS)], 'AgentHealthMonitor');
  const { preset = 'production', ...rest } = given;
  if (!Object.hasOwn(PRESETS, preset)) bad('preset', `one of ${Object.keys(PRESETS).join(', ')}`);
  const named = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const config = { ...DEFAULTS, ...PRESETS[preset], ...named } as FullConfig;
  check(config);
  return config;
}

function check(config: FullConfig): void {
  for (const field of [
    'activityTimeout',
    'heartbeatInterval',
    'heartbeatTimeout',
    'recoveryBackoff',
  ] as const)
    checkPositive(config[field], field);
  checkPositive(config.recoveryTimeout, 'recoveryTimeout');
  if (config.heartbeatInterval < INTERVAL_MIN) bad('heartbeatInterval', `at least ${INTERVAL_MIN} ms`);
  if (config.heartbeatTimeout > config.heartbeatInterval)
    bad('heartbeatTimeout', `at most heartbeatInterval (${config.heartbeatInterval} ms)`);
  checkCount(config.maxMissedBeats, 'maxMissedBeats');
  checkCount(config.maxRecoveryAttempts, 'maxRecoveryAttempts');
  for (const field of ['enableActivityTracking', 'enableHeartbeats'] as const)
    if (typeof config[field] !== 'boolean') bad(field, 'true or false');
  if (!config.enableActivityTracking && !config.enableHeartbeats)
    bad('enableHeartbeats', 'true where enableActivityTracking is false: nothing would be watched');
  checkEvents(config.activityEvents);
  if (!WATCHDOGS.includes(config.watchdog)) bad('watchdog', `one of ${WATCHDOGS.join(', ')}`);
  checkRecovery(config.recoveryStrategy, config.recover);
}

/** With shorter intervals the pings themselves would be a noticeable load. */
const INTERVAL_MIN = 10;

export function checkEvents(events: unknown): void {
  const isList = Array.isArray(events) && events.every((event) => typeof event === 'string' && event !== '');
  // A listener on `error` would suppress the crash that an unhandled error causes.
  if (!isList || events.includes('error')) bad('activityEvents', 'names of events other than error');
}

export function checkRecovery(strategy: RecoveryStrategy, recover: unknown): void {
  if (!STRATEGIES.includes(strategy)) bad('recoveryStrategy', `one of ${STRATEGIES.join(', ')}`);
  if (recover !== null && typeof recover !== 'function') bad('recover', 'a function');
  if (recover === null && (strategy === 'restart' || strategy === 'replace'))
    bad('recover', `given where the strategy is ${strategy}`);
}

function checkCount(value: unknown, field: string): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) bad(field, 'a whole number of at least 1');
}

function bad(field: string, allowed: string): never {
  throw new OptionError('bad_option', `${field} must be ${allowed}`, field);
}
