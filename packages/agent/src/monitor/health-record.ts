import type {
  AgentHealthMetrics,
  AgentHealthState,
  AgentHealthStatus,
  RecoverAgent,
  RecoveryStrategy,
} from './events.ts';
import type { Link } from './link.ts';

/** No ping is out. */
export const NO_PING = -1;

/**
 * One agent under watch. A beat only overwrites numbers in here: it allocates nothing and moves no timer.
 * Instants are monotonic; `proofAt` and `pingAt` leave out the time in which the monitor itself was stalled.
 */
export type HealthRecord = {
  /** The name, or `namespace/name`. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly strategy: RecoveryStrategy;
  readonly recover: RecoverAgent | null;
  readonly isRemote: boolean;
  readonly activityEvents: readonly string[];
  readonly registeredAt: number;
  link: Link;
  status: AgentHealthStatus;
  /** Not heard since its registration, so nobody was told yet that it is healthy. */
  isNew: boolean;
  isRemoved: boolean;
  lastActivity: number;
  lastHeartbeat: number;
  /** The last sign of life of either kind. */
  proofAt: number;
  /** When the oldest unanswered ping went out, or `NO_PING`. */
  pingAt: number;
  isWaiting: boolean;
  /** Somebody listened to its pings once; if nobody does any more, it was torn down. */
  hadListener: boolean;
  /** Its ping listener throws. */
  hasPingFailed: boolean;
  /** It reported its end. The emitter may live on and answer pings, which then prove nothing. */
  isExited: boolean;
  /** Its connection was reported lost, so silence is no sign of a freeze. */
  isLinkLost: boolean;
  totalHeartbeats: number;
  disconnectionCount: number;
  /** When it was last heard before it was lost; meaningful only while `disconnected`. */
  lastSeenAt: number;
  /** The neighbours in the ring of pings; null when it is not in it. */
  next: HealthRecord | null;
  previous: HealthRecord | null;
};

export type NewRecord = Pick<
  HealthRecord,
  'key' | 'name' | 'namespace' | 'strategy' | 'recover' | 'isRemote' | 'activityEvents'
>;

/** The link needs the record to report to, and the record its link: it is set right after. */
export function makeRecord(about: NewRecord, link: Link, at: number, attentiveAt: number): HealthRecord {
  return {
    ...about,
    registeredAt: at,
    link,
    status: 'healthy',
    isNew: true,
    isRemoved: false,
    lastActivity: at,
    lastHeartbeat: at,
    proofAt: attentiveAt,
    pingAt: NO_PING,
    isWaiting: false,
    hadListener: false,
    hasPingFailed: false,
    isExited: false,
    isLinkLost: false,
    totalHeartbeats: 0,
    disconnectionCount: 0,
    lastSeenAt: at,
    next: null,
    previous: null,
  };
}

export type Looking = {
  /** Monotonic, and what has to be added to it for milliseconds since 1970. */
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
    agentName: record.name,
    namespace: record.namespace,
    status: record.status,
    lastActivity: Math.round(record.lastActivity + looking.toWall),
    lastHeartbeat: Math.round(record.lastHeartbeat + looking.toWall),
    missedHeartbeats: missedBeatsOf(record, looking),
  };
}

/** Nothing is counted per beat: how many were missed follows from the last proof. */
function missedBeatsOf({ pingAt, proofAt }: HealthRecord, looking: Looking): number {
  const { attentiveAt, heartbeatInterval, heartbeatTimeout } = looking;
  if (pingAt === NO_PING || attentiveAt - pingAt + 1 < heartbeatTimeout) return 0;
  return Math.max(1, Math.floor((attentiveAt - proofAt + 1) / heartbeatInterval));
}
