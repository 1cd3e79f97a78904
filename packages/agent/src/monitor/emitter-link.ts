import type { MonitoredAgent } from './events.ts';
import type { Ears, Link } from './link-types.ts';

/**
 * One id for all pings of all agents: an answer is proof of life whichever ping it answers, the emitter says
 * whose it is, and a constant name costs neither a listener nor a new string per beat.
 */
const PING = Object.freeze({ id: 'holter' });
const PONG = `heartbeat-response-${PING.id}`;

/** An agent in this process, by the protocol of the seed: `heartbeat-ping` and `heartbeat-response-<id>`. */
export class EmitterLink implements Link {
  readonly canPing = true;
  readonly startupMs = 0;
  private readonly agent: MonitoredAgent;
  private readonly ears: Ears;
  private readonly activityEvents: readonly string[];

  constructor(agent: MonitoredAgent, ears: Ears, activityEvents: readonly string[]) {
    this.agent = agent;
    this.ears = ears;
    this.activityEvents = activityEvents;
    for (const event of activityEvents) agent.on(event, ears.activity);
    agent.on(PONG, ears.pong);
    agent.on('exit', this.onExit);
    agent.on('crash', this.onCrash);
    agent.on('disconnect', ears.linkLost);
    agent.on('agent-removed', ears.removed);
  }

  get hasListener(): boolean {
    return this.agent.listenerCount('heartbeat-ping') > 0;
  }

  ping(): boolean {
    return this.agent.emit('heartbeat-ping', PING);
  }

  detach(): void {
    const { agent, ears } = this;
    for (const event of this.activityEvents) agent.off(event, ears.activity);
    agent.off(PONG, ears.pong);
    agent.off('exit', this.onExit);
    agent.off('crash', this.onCrash);
    agent.off('disconnect', ears.linkLost);
    agent.off('agent-removed', ears.removed);
  }

  private readonly onExit = (code: unknown): void => {
    const known = typeof code === 'number' ? code : null;
    this.ears.exited(known, known === null ? 'it reported its exit' : `exit code ${known}`);
  };

  private readonly onCrash = (error: unknown): void => {
    this.ears.exited(null, error instanceof Error ? `crashed: ${error.message}` : 'it reported a crash');
  };
}
