import type { EventEmitter } from 'node:events';
import type { HealthRecord } from './health-record.ts';
import type { Ears, Link } from './link-types.ts';

/**
 * One id for all pings of all agents. An answer is a sign of life whichever ping it answers, the emitter tells
 * which agent it is, and a constant name needs neither a listener nor a new string per beat.
 */
const PING = Object.freeze({ id: 'holter' });
const PONG = `heartbeat-response-${PING.id}`;

type Listeners = Readonly<Record<'pong' | 'activity' | 'linkLost' | 'removed', () => void>> & {
  readonly exit: (code: unknown) => void;
  readonly listenerRemoved: (event: unknown) => void;
};

/**
 * All agents in this process. The protocol is `heartbeat-ping` and `heartbeat-response-<id>`.
 * The listeners are shared: an emitter calls them with itself as `this`, so an agent costs no closures, and
 * its answer to a ping needs no search.
 */
export class EmitterLink implements Link {
  readonly canPing = true;
  readonly startupMs = 0;
  private readonly records = new Map<unknown, HealthRecord>();
  private readonly listeners: Listeners;
  /** The agent that is being pinged, or was pinged last. */
  private last: HealthRecord | null = null;

  constructor(ears: Ears) {
    const recordOf = (agent: unknown): HealthRecord | undefined => this.recordOf(agent);
    const hear = (ear: (record: HealthRecord) => void) =>
      function (this: unknown): void {
        const record = recordOf(this);
        if (record) ear(record);
      };
    this.listeners = {
      pong: hear(ears.pong),
      activity: hear(ears.activity),
      linkLost: hear(ears.linkLost),
      removed: hear(ears.removed),
      listenerRemoved(this: unknown, event: unknown): void {
        if (event !== 'heartbeat-ping') return;
        const record = recordOf(this);
        if (record && record.agent.listenerCount('heartbeat-ping') === 0) ears.deaf(record);
      },
      exit(this: unknown, code: unknown): void {
        const record = recordOf(this);
        const known = typeof code === 'number' ? code : null;
        if (record)
          ears.exited(record, known, known === null ? 'it reported its exit' : `exit code ${known}`);
      },
    };
  }

  has(agent: EventEmitter): boolean {
    return this.records.has(agent);
  }

  hasListener({ agent }: HealthRecord): boolean {
    return agent.listenerCount('heartbeat-ping') > 0;
  }

  attach(record: HealthRecord): void {
    const { agent, about } = record;
    const { listeners } = this;
    this.records.set(agent, record);
    for (const event of about.activityEvents) agent.on(event, listeners.activity);
    agent.on(PONG, listeners.pong);
    agent.on('exit', listeners.exit);
    agent.on('disconnect', listeners.linkLost);
    agent.on('agent-removed', listeners.removed);
    agent.on('removeListener', listeners.listenerRemoved);
  }

  ping(record: HealthRecord): boolean {
    this.last = record;
    return record.agent.emit('heartbeat-ping', PING);
  }

  detach({ agent, about }: HealthRecord): void {
    const { listeners } = this;
    this.records.delete(agent);
    this.last = null;
    agent.off('removeListener', listeners.listenerRemoved);
    for (const event of about.activityEvents) agent.off(event, listeners.activity);
    agent.off(PONG, listeners.pong);
    agent.off('exit', listeners.exit);
    agent.off('disconnect', listeners.linkLost);
    agent.off('agent-removed', listeners.removed);
  }

  private recordOf(agent: unknown): HealthRecord | undefined {
    const { last } = this;
    return last !== null && last.agent === agent ? last : this.records.get(agent);
  }
}
