import type {
  AgentHealthMetrics,
  AgentHealthState,
  AgentHealthStatus,
  MonitoredAgent,
  RecoverAgent,
  RecoveryStrategy,
} from './events.ts';
import type { Link } from './link.ts';

/** Timers may fire a fraction of a millisecond early, and times are rounded down to whole milliseconds. */
export const EARLY_MS = 2;
/** No ping is out. */
export const NO_PING = -1;

export type NewRecord = {
  /** The name, or `namespace/name`. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly strategy: RecoveryStrategy;
  readonly recover: RecoverAgent | null;
  readonly isRemote: boolean;
  readonly activityEvents: readonly string[];
};

/**
 * One agent under watch. A beat only overwrites numbers in here: it allocates nothing and moves no timer. A
 * class, so that all records have one shape; whole milliseconds, so that they lie in the record itself; what
 * a ping touches stands together, since with thousands of agents each line of memory is a cold one.
 * Instants are monotonic; `proofAt` and `pingAt` leave out the time in which the monitor itself was stalled.
 */
export class HealthRecord {
  agent: MonitoredAgent;
  link: Link;
  /** The neighbours in the ring of pings; null when it is not in it. */
  next: HealthRecord | null = null;
  status: AgentHealthStatus = 'healthy';
  /** Not heard since its registration, so `agent-healthy` has not been emitted yet. */
  isNew = true;
  isRemoved = false;
  isWaiting = false;
  /** It reported its end. Its emitter may still answer pings; these answers prove nothing. */
  isExited = false;
  /** Its pings have had a listener; if they have none any more, the agent was torn down. */
  hadListener = false;
  /** When the oldest unanswered ping went out, or `NO_PING`. */
  pingAt = NO_PING;
  /** The last sign of life of either kind. */
  proofAt: number;
  lastHeartbeat: number;
  totalHeartbeats = 0;
  lastActivity: number;
  /** Its ping listener throws. */
  hasPingFailed = false;
  /** Its connection was reported lost, so silence is no sign of a freeze. */
  isLinkLost = false;
  disconnectionCount = 0;
  /** When it was last heard before it was lost; meaningful only while `disconnected`. */
  lastSeenAt: number;
  previous: HealthRecord | null = null;
  readonly registeredAt: number;
  readonly about: NewRecord;

  constructor(about: NewRecord, agent: MonitoredAgent, link: Link, at: number, attentiveAt: number) {
    this.agent = agent;
    this.link = link;
    this.proofAt = attentiveAt;
    this.lastHeartbeat = at;
    this.lastActivity = at;
    this.lastSeenAt = at;
    this.registeredAt = at;
    this.about = about;
  }
}

export type Looking = {
  /** Monotonic; `toWall` added to it gives milliseconds since 1970. */
  readonly at: number;
  readonly toWall: number;
  /** `at` without the stalls of the monitor. */
  readonly attentiveAt: number;
  readonly heartbeatInterval: number;
  readonly heartbeatTimeout: number;
  readonly activityTimeout: number;
};

export function stateOf(record: HealthRecord, looking: Looking): AgentHealthState {
  return {
    ...commonOf(record, looking),
    isIdle: looking.at - record.lastActivity > looking.activityTimeout,
  };
}

export function metricsOf(record: HealthRecord, looking: Looking): AgentHealthMetrics {
  return {
    ...commonOf(record, looking),
    uptime: Math.round(looking.at - record.registeredAt),
    totalHeartbeats: record.totalHeartbeats,
    disconnectionCount: record.disconnectionCount,
  };
}

function commonOf(record: HealthRecord, looking: Looking) {
  return {
    agentName: record.about.name,
    namespace: record.about.namespace,
    status: record.status,
    lastActivity: Math.round(record.lastActivity + looking.toWall),
    lastHeartbeat: Math.round(record.lastHeartbeat + looking.toWall),
    missedHeartbeats: missedBeatsOf(record, looking),
  };
}

/** Missed beats are not counted one by one; their number follows from the last sign of life. */
function missedBeatsOf({ pingAt, proofAt }: HealthRecord, looking: Looking): number {
  const { attentiveAt, heartbeatInterval, heartbeatTimeout } = looking;
  if (pingAt === NO_PING || attentiveAt - pingAt + EARLY_MS < heartbeatTimeout) return 0;
  return Math.max(1, Math.floor((attentiveAt - proofAt + EARLY_MS) / heartbeatInterval));
}
