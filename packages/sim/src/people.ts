import type { Decision, DurationMs, Effect } from '@holter/core';
import type { SimAgent } from './agents/sim-agent.ts';

const peopleParameters = {
  // Most notices are read; the rest meet a night or a meeting.
  attentionShare: 0.7,
  // Read, looked into, decided.
  decideMedianMs: 7 * 60_000,
  decideSigma: 0.9,
  handoffShare: 0.3,
  moreTimeMs: 30 * 60_000,
  // Somebody goes and starts it by hand.
  restartMinMs: 2 * 60_000,
  restartMaxMs: 40 * 60_000,
} as const;

interface PeoplePort {
  after(slot: number, delayMs: number, act: 'decide' | 'restart', data: unknown): void;
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

  notice(agent: SimAgent, effect: Effect): void {
    if (effect.kind !== 'notify' || effect.incidentId === null) return;
    if (!agent.random.chance(peopleParameters.attentionShare)) return;
    const { decideMedianMs, decideSigma } = peopleParameters;
    this.port.after(
      agent.slot,
      agent.random.lognormal(decideMedianMs, decideSigma),
      'decide',
      effect.incidentId,
    );
  }

  decide(agent: SimAgent, incidentId: string): void {
    const about = { by: 'operator', incidentId };
    const canHandle = agent.kit.can.includes('terminate') && agent.kit.can.includes('spawn');
    switch (agent.truth) {
      case 'ended':
        return;
      case 'fine': {
        const forMs = peopleParameters.moreTimeMs as DurationMs;
        const reason = 'it works';
        return this.port.decide(agent, { ...about, reason, decision: 'allow_more_time', forMs });
      }
      case 'stuck': {
        if (!canHandle) return this.restartByHand(agent);
        const isGentle = agent.mind !== 'frozen' && agent.random.chance(peopleParameters.handoffShare);
        const decision = isGentle ? 'force_handoff' : 'terminate_and_recover';
        return this.port.decide(agent, { ...about, reason: 'it is stuck', decision });
      }
      case 'dead':
        if (!canHandle) return this.restartByHand(agent);
        return this.port.decide(agent, { ...about, reason: 'it is dead', decision: 'recover' });
    }
  }

  private restartByHand(agent: SimAgent): void {
    const { restartMinMs, restartMaxMs } = peopleParameters;
    this.port.after(agent.slot, agent.random.between(restartMinMs, restartMaxMs), 'restart', agent.life);
  }

  /** Whoever restarts a hanging agent by hand stops it first. */
  restart(agent: SimAgent, life: number): void {
    if (agent.life !== life) return;
    if (agent.isRunning) agent.die(null, 'SIGTERM');
    agent.boot(undefined);
  }
}
