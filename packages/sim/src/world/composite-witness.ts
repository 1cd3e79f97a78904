import type { Decision, Effect, Enrollment, InputBody, Registration, Transition } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from './packet.ts';
import type { Witness } from './witness.ts';

/** Many witnesses as one; they are told in order. */
export class CompositeWitness implements Witness {
  private readonly witnesses: readonly Witness[];

  constructor(witnesses: readonly Witness[]) {
    this.witnesses = witnesses;
  }

  delivering(agent: SimAgent, at: number, packet: Packet): void {
    for (const witness of this.witnesses) witness.delivering(agent, at, packet);
  }

  folded(
    agent: SimAgent,
    at: number,
    input: InputBody,
    result: Transition,
    packet: Packet | undefined,
  ): void {
    for (const witness of this.witnesses) witness.folded(agent, at, input, result, packet);
  }

  enrolled(agent: SimAgent, at: number, registration: Registration, result: Enrollment): void {
    for (const witness of this.witnesses) witness.enrolled(agent, at, registration, result);
  }

  claimed(agent: SimAgent, at: number, effect: Effect, isProceeding: boolean): void {
    for (const witness of this.witnesses) witness.claimed(agent, at, effect, isProceeding);
  }

  deciding(agent: SimAgent, at: number, decision: Decision): void {
    for (const witness of this.witnesses) witness.deciding(agent, at, decision);
  }

  stalled(from: number, to: number): void {
    for (const witness of this.witnesses) witness.stalled(from, to);
  }

  truthChanged(agent: SimAgent, at: number): void {
    for (const witness of this.witnesses) witness.truthChanged(agent, at);
  }

  inspect(agent: SimAgent, at: number): void {
    for (const witness of this.witnesses) witness.inspect(agent, at);
  }
}
