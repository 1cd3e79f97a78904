import type { Decision, Effect, Enrolment, HolterEvent, InputBody, Registration, Turn } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';
import { Auditor } from './auditor.ts';

const LOOK_EVERY_MS = 10 * 60_000;
/** Nothing at all for so long means that nobody looked: what the monitor says of itself is not asked. */
const AWAY_MS = 20_000;
const CLOCK_OFF_MS = 60_000;

/**
 * The audit of the pure world: the events that came out become its log, and nothing else of what went in or out is
 * shown to it. Its times are the world's own, whatever the monitor's clock says.
 */
export class AuditWitness implements Witness {
  readonly audit: Auditor;
  private readonly agents = new Map<string, SimAgent>();
  private cursor = 0;
  private lookedAt = 0;
  private turnedAt = 0;

  constructor() {
    this.audit = new Auditor((agentId) => {
      const agent = this.agents.get(agentId);
      if (!agent) return undefined;
      const tellsTime = Math.abs(agent.wallNow - agent.env.holterNow) <= CLOCK_OFF_MS;
      return { group: agent.group, intervalMs: agent.profile.intervalMs, tellsTime };
    });
  }

  enrolled(agent: SimAgent, _at: number, _registration: Registration, result: Enrolment): void {
    this.agents.set(agent.name, agent);
    if (result.kind === 'enrolled') this.write(agent, result.events);
  }

  folded(agent: SimAgent, _at: number, _input: InputBody, result: Turn, _packet: Packet | undefined): void {
    this.write(agent, result.events);
    const { now } = agent.env;
    this.mindGap(now);
    this.turnedAt = now;
    if (now - this.lookedAt < LOOK_EVERY_MS) return;
    this.lookedAt = now;
    this.audit.look(now);
  }

  finish(now: number): void {
    this.mindGap(now);
    this.audit.finish(now);
  }

  private mindGap(now: number): void {
    if (now - this.turnedAt <= AWAY_MS) return;
    this.audit.truth.watched(false, this.turnedAt);
    this.audit.truth.watched(true, now);
  }

  /** In this world what may proceed is done at once. */
  claimed(agent: SimAgent, _at: number, effect: Effect, isProceeding: boolean): void {
    if (!isProceeding) return;
    const { now } = agent.env;
    const { id: effectId, kind, agentId } = effect;
    this.audit.begun({ effectId, kind, agentId, by: 0, from: now, to: now, cursor: this.cursor });
    if (kind === 'terminate' && agent.isRunning) this.audit.killed(agentId, now, true);
    this.audit.caughtUp();
  }

  truthChanged(agent: SimAgent): void {
    const { now } = agent.env;
    this.audit.truth.became(agent.name, agent.truth, now);
    this.audit.truth.reached(agent.name, agent.isReachable, now);
  }

  stalled(): void {}
  delivering(): void {}
  deciding(_agent: SimAgent, _at: number, _decision: Decision): void {}
  inspect(): void {}

  private write(agent: SimAgent, events: readonly HolterEvent[]): void {
    for (const event of events) {
      if (event.type === 'AGENT_HEARTBEAT') continue;
      this.cursor += 1;
      const isAboutFleet = event.type === 'MASS_FAILURE' || event.type === 'MASS_FAILURE_OVER';
      const agentId = isAboutFleet ? `fleet:${event.payload.group}` : agent.name;
      this.audit.read({ cursor: this.cursor, at: agent.env.now, agentId, event });
    }
  }
}
