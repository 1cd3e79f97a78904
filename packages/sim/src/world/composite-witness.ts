import type { Decision, Effect, Enrolment, InputBody, Registration, Turn } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from './packet.ts';
import type { Witness } from './witness.ts';

/** Many witnesses as one; they are told in order. */
export class Chorus implements Witness {
  private readonly voices: readonly Witness[];

  constructor(voices: readonly Witness[]) {
    this.voices = voices;
  }

  hears(agent: SimAgent, at: number, packet: Packet): void {
    for (const voice of this.voices) voice.hears(agent, at, packet);
  }

  turned(agent: SimAgent, at: number, input: InputBody, result: Turn, packet: Packet | undefined): void {
    for (const voice of this.voices) voice.turned(agent, at, input, result, packet);
  }

  enrolled(agent: SimAgent, at: number, registration: Registration, result: Enrolment): void {
    for (const voice of this.voices) voice.enrolled(agent, at, registration, result);
  }

  claimed(agent: SimAgent, at: number, effect: Effect, isProceeding: boolean): void {
    for (const voice of this.voices) voice.claimed(agent, at, effect, isProceeding);
  }

  decides(agent: SimAgent, at: number, decision: Decision): void {
    for (const voice of this.voices) voice.decides(agent, at, decision);
  }

  wasAway(from: number, to: number): void {
    for (const voice of this.voices) voice.wasAway(from, to);
  }

  truthChanged(agent: SimAgent, at: number): void {
    for (const voice of this.voices) voice.truthChanged(agent, at);
  }

  inspect(agent: SimAgent, at: number): void {
    for (const voice of this.voices) voice.inspect(agent, at);
  }
}
