import { EventEmitter } from 'node:events';
import { OptionError, refuseUnknown } from '../option-error.ts';
import { checkEvents, checkRecovery, type FullConfig } from './config.ts';
import type { MonitoredAgent, RecoverAgent, RecoveryStrategy } from './events.ts';
import type { NewRecord } from './health-record.ts';

/** Options for one agent at its registration. */
export type RegisterOptions = {
  /** Needed where the emitter has no `name` of its own, such as a worker thread. */
  readonly name?: string;
  /** Keeps agents with equal names apart, one namespace per session. @default none */
  readonly namespace?: string;
  /** The agent is behind a network: its silence is reported as `network-partition`, not as a freeze. @default false */
  readonly isRemote?: boolean;
  /** Instead of the monitor's own. */
  readonly activityEvents?: readonly string[];
  /** Instead of the monitor's own. */
  readonly recoveryStrategy?: RecoveryStrategy;
  /** Instead of the monitor's own. */
  readonly recover?: RecoverAgent;
};

const OPTIONS = [
  'name',
  'namespace',
  'isRemote',
  'activityEvents',
  'recoveryStrategy',
  'recover',
] as const satisfies readonly (keyof RegisterOptions)[];

export const keyOf = (name: string, namespace: string | null): string =>
  namespace === null ? name : `${namespace}/${name}`;

export function readRegistration(
  agent: MonitoredAgent,
  options: RegisterOptions,
  config: FullConfig,
): NewRecord {
  refuseUnknown(options, OPTIONS, 'registerAgent');
  // Recognised by its methods, because a program may contain more than one EventEmitter class.
  const isEmitter = agent instanceof EventEmitter || typeof (agent as EventEmitter | null)?.on === 'function';
  if (!isEmitter) throw new OptionError('bad_option', 'an agent must be an EventEmitter', 'agent');
  const name = options.name ?? agent.name;
  if (typeof name !== 'string' || name === '')
    throw new OptionError('bad_option', 'an agent needs a name: its own, or the option name', 'name');
  const { namespace = null, isRemote = false } = options;
  if (namespace !== null && (typeof namespace !== 'string' || namespace === ''))
    throw new OptionError('bad_option', 'namespace must be a text that is not empty', 'namespace');
  const strategy = options.recoveryStrategy ?? config.recoveryStrategy;
  const recover = options.recover ?? config.recover;
  checkRecovery(strategy, recover);
  const wanted = options.activityEvents ?? config.activityEvents;
  checkEvents(wanted);
  const activityEvents = config.enableActivityTracking ? wanted : [];
  return { key: keyOf(name, namespace), name, namespace, strategy, recover, isRemote, activityEvents };
}
