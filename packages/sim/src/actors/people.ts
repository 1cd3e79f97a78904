import type { Decision, DurationMs, Effect } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';

const peopleParameters = {
  // Most notices are read; the rest meet a night or a meeting.
  attentionShare: 0.7,
  // Read, looked into, decided.
  decideMedianMs: 7 * 60_000,
  decideSigma: 0.9,
  handoffShare: 0.3,
  moreTimeMs: 30 * 60_000,
  // Clicked twice; a colleague who decides otherwise; a page that shows another incident.
  twiceShare: 0.1,
  colleagueShare: 0.1,
  strayShare: 0.05,
  againMaxMs: 4 * 60_000,
  // Somebody goes and starts it by hand.
  restartMinMs: 2 * 60_000,
  restartMaxMs: 40 * 60_000,
} as const;

interface PeoplePort {
  after(agent: SimAgent, ms: number, callback: () => void): void;
  decide(agent: SimAgent, decision: Decision): void;
}

/**
 * Orchestrators and operators. They look before they decide, so they decide by what is true; what they
 * lack is time, not judgement.
 */
export class People {
  private readonly port: PeoplePort;

  constructor(port: PeoplePort) {
    this.port = port;
  }

  /** Whether somebody reads it. */
  notice(agent: SimAgent, effect: Effect): boolean {
    if (effect.kind !== 'notify' || effect.incidentId === null) return true;
    if (!agent.random.chance(peopleParameters.attentionShare)) return false;
    const { incidentId } = effect;
    const delayMs = agent.random.lognormal(peopleParameters.decideMedianMs, peopleParameters.decideSigma);
    this.port.after(agent, delayMs, () => this.decide(agent, incidentId));
    return true;
  }

  private decide(agent: SimAgent, incidentId: string): void {
    const about = { by: 'operator', incidentId };
    const canHandle = agent.profile.can.includes('terminate') && agent.profile.can.includes('spawn');
    switch (agent.truth) {
      case 'ended':
        return;
      case 'fine': {
        const forMs = peopleParameters.moreTimeMs as DurationMs;
        const reason = 'it works';
        return this.say(agent, { ...about, reason, decision: 'allow_more_time', forMs });
      }
      case 'stuck': {
        if (!canHandle) return this.restartByHand(agent);
        const isGentle = agent.activity !== 'frozen' && agent.random.chance(peopleParameters.handoffShare);
        const decision = isGentle ? 'force_handoff' : 'terminate_and_recover';
        return this.say(agent, { ...about, reason: 'it is stuck', decision });
      }
      case 'dead':
        if (!canHandle) return this.restartByHand(agent);
        // Where nobody looks at its process, its end is not proven, and it has to be given up first.
        return this.say(agent, {
          ...about,
          reason: 'it is dead',
          decision: agent.profile.isLocal ? 'recover' : 'replace',
        });
    }
  }

  private say(agent: SimAgent, decision: Decision): void {
    const { twiceShare, colleagueShare, strayShare, againMaxMs } = peopleParameters;
    if (agent.random.chance(strayShare))
      this.port.decide(agent, { ...decision, incidentId: `${agent.name}-of-another-page/1` });
    this.port.decide(agent, decision);
    if (agent.random.chance(twiceShare))
      this.port.after(agent, agent.random.unit() * againMaxMs, () => this.port.decide(agent, decision));
    if (agent.random.chance(colleagueShare)) {
      const other = contradictionOf(decision);
      this.port.after(agent, agent.random.unit() * againMaxMs, () => this.port.decide(agent, other));
    }
  }

  private restartByHand(agent: SimAgent): void {
    const { restartMinMs, restartMaxMs } = peopleParameters;
    const { life } = agent;
    this.port.after(agent, agent.random.between(restartMinMs, restartMaxMs), () => this.restart(agent, life));
  }

  /** A hanging agent is stopped before it is started by hand. */
  private restart(agent: SimAgent, life: number): void {
    if (agent.life !== life) return;
    if (agent.isRunning) agent.die(null, 'SIGTERM');
    agent.boot(undefined);
  }
}

/** What a colleague decides who disagrees about the same incident: wait, or dismiss it. */
function contradictionOf(decision: Decision): Decision {
  const { incidentId } = decision;
  const about = { by: 'colleague', reason: 'I see it differently', ...(incidentId && { incidentId }) };
  if (decision.decision === 'allow_more_time') return { ...about, decision: 'dismiss' };
  return { ...about, decision: 'allow_more_time', forMs: peopleParameters.moreTimeMs as DurationMs };
}
