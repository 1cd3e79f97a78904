import type {
  Decision,
  Effect,
  Enrollment,
  HolterEvent,
  InputBody,
  Registration,
  Transition,
} from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract } from '../audit/contract.ts';
import type { Packet } from '../world/packet.ts';
import type { Witness } from '../world/witness.ts';

/** One trouble of one agent, from its beginning to its end. */
type Episode = {
  readonly since: number;
  readonly isRecoverable: boolean;
  noticedAt: number;
  conditionAt: number;
  intervenedAt: number;
  /** When the newest successor began, or NaN. */
  recoveringSince: number;
  isAttempted: boolean;
};

/** Measures what seed 000 promises: how fast, how often wrong, how often brought back. */
export class Tally implements Witness {
  readonly detectionMs: number[] = [];
  readonly sinceTroubleMs: number[] = [];
  readonly interventionMs: number[] = [];
  wrongNudges = 0;
  nudges = 0;
  terminations = 0;
  notices = 0;
  recoveriesAttempted = 0;
  recoveriesSucceeded = 0;
  private readonly episodes: (Episode | undefined)[] = [];
  private readonly conditionAt: (agent: SimAgent, event: HolterEvent) => number;

  constructor(conditionAt: (agent: SimAgent, event: HolterEvent) => number) {
    this.conditionAt = conditionAt;
  }

  truthChanged(agent: SimAgent, at: number): void {
    const episode = this.episodes[agent.slot];
    if (agent.truth === 'stuck' || agent.truth === 'dead') {
      // A relapse inside its probation is the same trouble; so is a stuck agent that was stopped.
      if (episode !== undefined && !this.isOver(episode, at)) {
        episode.recoveringSince = Number.NaN;
        return;
      }
      this.settle(agent, at);
      const isRecoverable =
        agent.profile.mode === 'act' &&
        agent.profile.can.includes('spawn') &&
        (agent.behaviour.isRecoverable?.(agent) ?? true);
      this.episodes[agent.slot] = {
        since: at,
        isRecoverable,
        noticedAt: Number.NaN,
        conditionAt: Number.NaN,
        intervenedAt: Number.NaN,
        recoveringSince: Number.NaN,
        isAttempted: false,
      };
    } else if (agent.truth === 'fine' && episode !== undefined) {
      if (!episode.isAttempted) this.episodes[agent.slot] = undefined;
      else if (Number.isNaN(episode.recoveringSince)) episode.recoveringSince = at;
    }
  }

  private isOver(episode: Episode, at: number): boolean {
    return at - episode.recoveringSince >= contract.probationMs;
  }

  private settle(agent: SimAgent, at: number): void {
    const episode = this.episodes[agent.slot];
    if (episode === undefined) return;
    this.episodes[agent.slot] = undefined;
    if (!episode.isAttempted || !episode.isRecoverable) return;
    // What is still under way when the run ends says nothing.
    if (!this.isOver(episode, at) && !Number.isNaN(episode.recoveringSince)) return;
    this.recoveriesAttempted++;
    if (this.isOver(episode, at)) this.recoveriesSucceeded++;
  }

  finish(agents: readonly SimAgent[], at: number): void {
    for (const agent of agents) this.settle(agent, at);
  }

  folded(
    agent: SimAgent,
    at: number,
    _input: InputBody,
    result: Transition,
    _packet: Packet | undefined,
  ): void {
    const episode = this.episodes[agent.slot];
    if (episode === undefined || !Number.isNaN(episode.noticedAt)) return;
    for (const event of result.events) {
      if (!isNotice(event)) continue;
      episode.noticedAt = at;
      episode.conditionAt = Math.max(episode.since, this.conditionAt(agent, event));
      this.detectionMs.push(Math.max(0, at - episode.conditionAt));
      this.sinceTroubleMs.push(at - episode.since);
      return;
    }
  }

  claimed(agent: SimAgent, at: number, effect: Effect, isProceeding: boolean): void {
    if (!isProceeding) return;
    const episode = this.episodes[agent.slot];
    if (effect.kind === 'nudge') {
      this.nudges++;
      // One that can't reach its agent disturbs nothing; it will be refused. And an agent that waits for a moment
      // that another clock has passed already looks late to everybody but itself.
      const isMisdated = agent.activity === 'held' && agent.clockErrorMs > contract.justNowMs;
      const isHeard = agent.isReachable && agent.truth === 'fine' && effect.about !== 'operator';
      if (isHeard && !isMisdated && at - agent.truthSince > contract.justNowMs) this.wrongNudges++;
    }
    if (effect.kind === 'terminate') this.terminations++;
    if (effect.kind === 'notify') this.notices++;
    if (episode === undefined) return;
    if (effect.kind === 'spawn') episode.isAttempted = true;
    const isIntervention =
      effect.kind === 'nudge' ||
      effect.kind === 'notify' ||
      effect.kind === 'terminate' ||
      effect.kind === 'spawn';
    if (!isIntervention || Number.isNaN(episode.noticedAt) || !Number.isNaN(episode.intervenedAt)) return;
    episode.intervenedAt = at;
    // Who was helped before its time was not late.
    this.interventionMs.push(Math.max(0, at - episode.conditionAt));
  }

  delivering(_agent: SimAgent, _at: number, _packet: Packet): void {}
  enrolled(_agent: SimAgent, _at: number, _registration: Registration, _result: Enrollment): void {}
  deciding(_agent: SimAgent, _at: number, _decision: Decision): void {}
  stalled(_from: number, _to: number): void {}
  inspect(_agent: SimAgent, _at: number): void {}
}

function isNotice(event: HolterEvent): boolean {
  if (event.type === 'LIVENESS_CHANGED') return event.payload.to !== 'alive';
  return event.type === 'FINDING_RAISED' && event.payload.severity === 'act';
}
