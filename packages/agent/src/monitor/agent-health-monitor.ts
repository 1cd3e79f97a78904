import { EventEmitter } from 'node:events';
import { warnOfHost } from '../host-fault.ts';
import { OptionError } from '../option-error.ts';
import { type AgentClock, realClock } from '../real-clock.ts';
import { type Freeze, startWatchdog, type Watchdog } from '../watchdog/watchdog.ts';
import { type AgentHealthConfig, type FullConfig, readConfig } from './config.ts';
import type {
  AgentHealthEvents,
  AgentHealthMetrics,
  AgentHealthState,
  DegradedReason,
  DisconnectionReason,
  DisconnectionType,
  MonitoredAgent,
} from './events.ts';
import { HealthRecord, type Looking, metricsOf, stateOf } from './health-record.ts';
import { type Ears, Links } from './link.ts';
import { Recovery } from './recovery.ts';
import { keyOf, type RegisterOptions, readRegistration } from './registration.ts';
import { Rounds } from './rounds.ts';

/** An agent may replace its listener in the meantime. */
const DEAF_MS = 500;

/**
 * Watches the agents of this process by their own events, and by pings that detect agents which hang.
 * An idle agent that answers is healthy; the first missed beat makes it degraded; it is disconnected 4 s
 * after its last sign of life, at once when it reports its exit. See docs/in-process.md.
 */
export class AgentHealthMonitor extends EventEmitter<AgentHealthEvents> {
  private readonly config: FullConfig;
  private readonly clock: AgentClock;
  private readonly records = new Map<string, HealthRecord>();
  private readonly links: Links;
  private readonly rounds: Rounds;
  private readonly recovery: Recovery;
  private watchdog: Watchdog | null = null;

  constructor(config: AgentHealthConfig = {}) {
    super({ captureRejections: true });
    this.config = readConfig(config);
    this.clock = realClock;
    this.links = new Links(this.ears());
    this.rounds = new Rounds(this.config, this.clock, {
      missed: (record, reason) => this.becomeDegraded(record, reason),
      gone: (record) => this.becomeDisconnected(record, 'missed_heartbeats', silenceOf(record), null),
      tornDown: (record) => this.becomeDisconnected(record, 'no_listener', 'process-crash', null),
      stalled: (duration) =>
        this.tell('monitor-stalled', { duration: Math.round(duration), timestamp: this.wall() }),
    });
    this.recovery = new Recovery(this.config, {
      recovering: (record, attempt) =>
        this.tell('agent-recovering', { ...this.about(record), strategy: record.about.strategy, attempt }),
      recovered: (record, attempt, ms) =>
        this.tell('agent-recovered', {
          ...this.about(record),
          strategy: record.about.strategy,
          attempt,
          duration: Math.round(ms),
        }),
      critical: (record, type, attempts, because) =>
        this.tell('agent-health-critical', { ...this.about(record), type, attempts, because }),
      resume: (record, agent) => this.resume(record, agent),
      now: () => this.now(),
    });
  }

  /**
   * Watches an agent from now on: any emitter with a `name`, a worker thread, or a child process.
   * @throws OptionError if the name is missing or taken, or an option is wrong
   */
  registerAgent(agent: MonitoredAgent, options: RegisterOptions = {}): void {
    const about = readRegistration(agent, options, this.config);
    if (this.records.has(about.key) || this.links.has(agent))
      throw new OptionError('already_registered', `${about.key} is registered already`, 'name');
    const record = new HealthRecord(about, agent, this.links.to(agent), this.now(), this.rounds.now());
    record.link.attach(record);
    this.records.set(about.key, record);
    this.rounds.add(record);
    const { watchdog } = this.config;
    if (watchdog !== 'off')
      this.watchdog ??= startWatchdog({ onFreeze: watchdog, onThaw: (freeze) => this.tellFreeze(freeze) });
  }

  /** Stops watching; an unknown name changes nothing. */
  unregisterAgent(agentName: string, namespace: string | null = null): void {
    const record = this.records.get(keyOf(agentName, namespace));
    if (record) this.remove(record, 'unregistered');
  }

  getHealth(agentName: string, namespace: string | null = null): AgentHealthState | undefined {
    const record = this.records.get(keyOf(agentName, namespace));
    return record && stateOf(record, this.look());
  }

  getMetrics(agentName: string, namespace: string | null = null): AgentHealthMetrics | undefined {
    const record = this.records.get(keyOf(agentName, namespace));
    return record && metricsOf(record, this.look());
  }

  /** All agents by name; those with a namespace by `namespace/name`. */
  getAllHealth(): Map<string, AgentHealthState> {
    const looking = this.look();
    return new Map([...this.records].map(([key, record]) => [key, stateOf(record, looking)]));
  }

  /** Unregisters every agent without emitting events, and stops the watchdog. */
  stop(): void {
    for (const record of [...this.records.values()]) this.forget(record);
    this.watchdog?.stop();
    this.watchdog = null;
  }

  private ears(): Ears {
    return {
      pong: (record) => {
        if (record.isExited) return;
        record.lastHeartbeat = this.rounds.heardAt();
        record.totalHeartbeats += 1;
        this.heard(record, record.lastHeartbeat);
      },
      activity: (record) => {
        record.lastActivity = this.now();
        record.isExited = false;
        this.heard(record, record.lastActivity);
      },
      exited: (record, code, detail) => {
        if (record.isRemoved || record.isExited) return;
        if (code === 0) return this.remove(record, 'exited');
        record.isExited = true;
        this.becomeDisconnected(record, 'exited', 'process-crash', detail);
      },
      linkLost: (record) => {
        record.isLinkLost = true;
      },
      removed: (record) => this.remove(record, 'asked'),
      deaf: (record) => void setTimeout(() => this.lookAtDeaf(record), DEAF_MS).unref(),
    };
  }

  private heard(record: HealthRecord, at: number): void {
    if (record.isRemoved) return;
    this.rounds.heard(record, at);
    if (record.status !== 'healthy' || record.isNew) this.becomeHealthy(record, at);
  }

  private becomeHealthy(record: HealthRecord, at: number): void {
    const { status } = record;
    record.status = 'healthy';
    record.isNew = false;
    record.isLinkLost = false;
    if (status !== 'disconnected') {
      this.tell('agent-healthy', { ...this.about(record), metrics: metricsOf(record, this.look()) });
      return;
    }
    this.tell('agent-reconnected', { ...this.about(record), downtime: at - record.lastSeenAt });
    this.recovery.heard(record);
  }

  private becomeDegraded(record: HealthRecord, reason: DegradedReason): void {
    record.status = 'degraded';
    const idleTime = this.now() - record.lastActivity;
    this.tell('agent-degraded', { ...this.about(record), reason, idleTime });
  }

  private becomeDisconnected(
    record: HealthRecord,
    reason: DisconnectionReason,
    type: DisconnectionType,
    detail: string | null,
  ): void {
    this.rounds.settle(record);
    if (record.status === 'disconnected') return;
    record.status = 'disconnected';
    record.disconnectionCount += 1;
    record.lastSeenAt = Math.max(record.lastActivity, record.lastHeartbeat);
    const lastSeen = Math.round(record.lastSeenAt + this.look().toWall);
    this.tell('agent-disconnected', { ...this.about(record), reason, lastSeen, type, detail });
    if (!record.isRemoved && record.status === 'disconnected') this.recovery.lost(record, type);
  }

  /** A crash need not wait for the next ping. */
  private lookAtDeaf(record: HealthRecord): void {
    if (!record.isRemoved && record.status !== 'disconnected' && !record.link.hasListener(record))
      this.rounds.visit(record);
  }

  private resume(record: HealthRecord, agent: MonitoredAgent | null): void {
    if (agent) {
      record.link.detach(record);
      record.agent = agent;
      record.link = this.links.to(agent);
      record.link.attach(record);
      record.hadListener = record.link.hasListener(record);
      // The new emitter may still have to start.
      record.isNew = true;
    }
    record.isExited = false;
    record.isLinkLost = false;
    this.rounds.visit(record);
  }

  private remove(record: HealthRecord, reason: 'unregistered' | 'asked' | 'exited'): void {
    if (record.isRemoved) return;
    this.forget(record);
    this.tell('agent-removed', { ...this.about(record), reason });
  }

  private forget(record: HealthRecord): void {
    record.isRemoved = true;
    record.link.detach(record);
    this.records.delete(record.about.key);
    this.rounds.remove(record);
    this.recovery.forget(record);
  }

  private tellFreeze({ durationMs, where }: Freeze): void {
    this.tell('event-loop-freeze', { duration: Math.round(durationMs), where, timestamp: this.wall() });
  }

  private about({ about: { name, namespace } }: HealthRecord) {
    return { agent: name, namespace, timestamp: this.wall() };
  }

  private look(): Looking {
    const at = this.now();
    return { ...this.config, at, toWall: this.wall() - at, attentiveAt: this.rounds.now() };
  }

  /** Whole milliseconds, which V8 stores in the record itself without allocating. */
  private now(): number {
    return Math.floor(this.clock.monotonic());
  }

  private wall(): number {
    return this.clock.wall();
  }

  /**
   * A listener of the host that throws must not stop the round or the agent whose event is being handled. The
   * error is reported as a warning.
   */
  private tell<Name extends keyof AgentHealthEvents>(name: Name, ...event: AgentHealthEvents[Name]): void {
    try {
      (this as EventEmitter).emit(name, ...event);
    } catch (error) {
      warnOfHost(`a listener of ${name}`, error);
    }
  }

  /** The same for listeners that return a promise. */
  override [EventEmitter.captureRejectionSymbol](error: Error, name: unknown, ..._event: unknown[]): void {
    warnOfHost(`a listener of ${name}`, error);
  }
}

/** Silence without any other evidence. */
function silenceOf({ about: { isRemote }, isLinkLost }: HealthRecord): DisconnectionType {
  return isRemote || isLinkLost ? 'network-partition' : 'event-loop-freeze';
}
