import type { EventEmitter } from 'node:events';

export type AgentHealthStatus = 'healthy' | 'degraded' | 'disconnected';

/** What is known about an agent now. Times are milliseconds since 1970. */
export type AgentHealthState = {
  readonly agentName: string;
  /** Separates sessions whose agents have equal names; null if none was given. */
  readonly namespace: string | null;
  readonly status: AgentHealthStatus;
  /** The agent's last own event; its registration until there was one. */
  readonly lastActivity: number;
  /** The last answer to a ping; the registration until there was one. */
  readonly lastHeartbeat: number;
  /** In a row, up to now. */
  readonly missedHeartbeats: number;
  /** No activity for longer than `activityTimeout`. Idle is healthy. */
  readonly isIdle: boolean;
};

export type AgentHealthMetrics = Omit<AgentHealthState, 'isIdle'> & {
  /** Milliseconds since its registration. */
  readonly uptime: number;
  /** Answers to pings. */
  readonly totalHeartbeats: number;
  readonly disconnectionCount: number;
};

/** How an agent was lost, as far as the evidence goes. */
export type DisconnectionType = 'event-loop-freeze' | 'process-crash' | 'network-partition';

export type DisconnectionReason =
  /** Nothing was heard for `maxMissedBeats` intervals, though it was pinged. */
  | 'missed_heartbeats'
  /** It reported its end by an event. */
  | 'exited'
  /** What used to answer its pings is gone: it was torn down. */
  | 'no_listener';

export type DegradedReason = 'missed_heartbeat' | 'heartbeat_error' | 'inactivity';

export type RecoveryStrategy = 'restart' | 'replace' | 'alert' | 'none';

/** Anything that can be watched: an emitter with a name, a worker thread, a child process. */
export type MonitoredAgent = EventEmitter & { readonly name?: string };

export type AgentFailure = {
  readonly agent: string;
  readonly namespace: string | null;
  readonly type: DisconnectionType;
  readonly strategy: 'restart' | 'replace';
  /** From 1 up to `maxRecoveryAttempts`. */
  readonly attempt: number;
};

export type RecoverAgent = (
  failure: AgentFailure,
) => MonitoredAgent | undefined | Promise<MonitoredAgent | undefined> | Promise<void>;

type Told = {
  readonly agent: string;
  readonly namespace: string | null;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
};

/** What an `AgentHealthMonitor` emits: one event per change, never one per missed beat. */
export type AgentHealthEvents = {
  /** Heard for the first time, or again after `degraded`. */
  'agent-healthy': [Told & { readonly metrics: AgentHealthMetrics }];
  /** The first missed beat; with pings switched off, too little activity. */
  'agent-degraded': [Told & { readonly reason: DegradedReason; readonly idleTime: number }];
  'agent-disconnected': [
    Told & {
      readonly reason: DisconnectionReason;
      readonly lastSeen: number;
      readonly type: DisconnectionType;
      /** A description such as an exit code or a signal. */
      readonly detail: string | null;
    },
  ];
  /** Heard again after `agent-disconnected`; `downtime` counts from the last sign of life before it. */
  'agent-reconnected': [Told & { readonly downtime: number }];
  'agent-removed': [Told & { readonly reason: 'unregistered' | 'asked' | 'exited' }];
  'agent-recovering': [Told & { readonly strategy: RecoveryStrategy; readonly attempt: number }];
  'agent-recovered': [
    Told & { readonly strategy: RecoveryStrategy; readonly attempt: number; readonly duration: number },
  ];
  /** The host has to act: the strategy is `alert`, or recovery did not help. */
  'agent-health-critical': [
    Told & { readonly type: DisconnectionType; readonly attempts: number; readonly because: string },
  ];
  /** The monitor itself could not run for this many milliseconds; no agent is blamed for them. */
  'monitor-stalled': [{ readonly duration: number; readonly timestamp: number }];
  /** Emitted after the freeze; while the loop is blocked, the watchdog writes a line to stderr. */
  'event-loop-freeze': [
    { readonly duration: number; readonly where: string | null; readonly timestamp: number },
  ];
};
