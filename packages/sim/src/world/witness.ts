import type { Decision, Effect, Enrollment, InputBody, Registration, Transition } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Packet } from './packet.ts';

/** Watches the pure world: called right before or after each thing that happens in it. */
export interface Witness {
  delivering(agent: SimAgent, at: number, packet: Packet): void;
  folded(agent: SimAgent, at: number, input: InputBody, result: Transition, packet: Packet | undefined): void;
  enrolled(agent: SimAgent, at: number, registration: Registration, result: Enrollment): void;
  claimed(agent: SimAgent, at: number, effect: Effect, isProceeding: boolean): void;
  deciding(agent: SimAgent, at: number, decision: Decision): void;
  stalled(from: number, to: number): void;
  truthChanged(agent: SimAgent, at: number): void;
  inspect(agent: SimAgent, at: number): void;
}
