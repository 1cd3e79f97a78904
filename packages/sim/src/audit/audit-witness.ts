import type { Effect, Enrollment, HolterEvent, InputBody, Registration, Transition } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Witness } from '../world/witness.ts';
import { Auditor } from './auditor.ts';
import { contract } from './contract.ts';
import type { Report } from './violation.ts';

const LOOK_EVERY_MS = 10 * 60_000;
/** No input at all for so long means that the monitor was away; what it says about itself is not asked. */
const AWAY_MS = 20_000;

/**
 * The audit of the pure world: the events that came out become its log, the effects its outbox. Its times are the
 * world's own, whatever the monitor's clock shows.
 */
export class AuditWitness implements Witness {
  readonly audit: Auditor;
  private readonly agents = new Map<string, SimAgent>();
  private cursor = 0;
  private probedAt = 0;
  private foldedAt = 0;

  constructor(report: Report) {
    const profileOf = (agentId: string) => {
      const agent = this.agents.get(agentId);
      if (!agent) return undefined;
      const tellsTime = agent.clockErrorMs <= contract.justNowMs;
      return { ...auditedProfile(agent), tellsTime };
    };
    this.audit = new Auditor(report, { profileOf, isExact: true });
  }

  enrolled(agent: SimAgent, _at: number, _registration: Registration, result: Enrollment): void {
    this.agents.set(agent.name, agent);
    if (result.kind === 'enrolled') this.write(agent, result.events);
  }

  folded(agent: SimAgent, at: number, input: InputBody, result: Transition): void {
    this.audit.breakers.folded(agent.name, at, input, result);
    const hasKept = this.audit.brake.hasKept(agent.name);
    this.audit.shares.folded({ agentId: agent.name, group: agent.group, hasKept }, at, result);
    this.write(agent, result.events);
    const { now } = agent.env;
    for (const effect of result.effects) this.audit.ordered(effect, now, at);
    this.mindGap(now);
    this.foldedAt = now;
    if (now - this.probedAt < LOOK_EVERY_MS) return;
    this.probedAt = now;
    this.audit.look(now);
  }

  finish(now: number): void {
    this.mindGap(now);
    this.audit.finish(now);
  }

  private mindGap(now: number): void {
    if (now - this.foldedAt <= AWAY_MS) return;
    this.audit.truth.watched(false, this.foldedAt);
    this.audit.truth.watched(true, now);
  }

  /** In this world what may proceed is done at once. */
  claimed(agent: SimAgent, _at: number, effect: Effect, isProceeding: boolean): void {
    if (!isProceeding) return;
    const { now } = agent.env;
    const { id: effectId, kind, agentId, incarnation } = effect;
    // One that was launched and has not registered yet is known to its launcher, which refuses a second.
    const runsBeside = agent.isRunning && agent.incarnation > 0 && !this.audit.isGivenUp(agentId);
    if (kind === 'spawn' && runsBeside)
      this.audit.report(6, agentId, now, 'a successor is started while the predecessor runs');
    this.audit.begun({
      effectId,
      kind,
      agentId,
      incarnation,
      by: 0,
      from: now,
      to: now,
      cursor: this.cursor,
    });
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
  deciding(): void {}
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

/** What the audit knows of an agent beside its life. */
export function auditedProfile({ group, profile }: SimAgent) {
  const { intervalMs, mode, can, role } = profile;
  const canBeStopped = mode === 'act' && can.includes('terminate') && can.includes('spawn');
  const isWatched = profile.promises.process === true;
  return {
    group,
    intervalMs,
    isWatched,
    canBeStopped,
    isStoppedAtLimit: role === 'metered',
    decidedBy:
      mode !== 'act' ? ('people' as const) : role === 'lean' ? ('readers' as const) : ('time' as const),
    tellsTime: true,
  };
}
