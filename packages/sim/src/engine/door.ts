import type { Decision, Effect, ReceiptOutcome, Registration, Signal } from '@holter/core';
import type { Answer, Engine } from '@holter/server';
import type { Said } from '../world/packet.ts';

/** The requests of simulated agents, executors and people to one server. */
export type Door = {
  /** Whether the signal was accepted, once that is durable. */
  signal(signal: Signal, origin: Said): Promise<boolean>;
  /** The new incarnation; null when the name is taken. */
  register(registration: Registration): Promise<number | null>;
  receive(effect: Effect, outcome: ReceiptOutcome, detail: string): Promise<void>;
  decide(agentId: string, decision: Decision): Promise<unknown>;
};

export const engineDoor = (engine: Engine): Door => ({
  signal: async (signal, origin) => {
    const answer = await engine.signal(signal, origin);
    return answer.kind === 'folded' && answer.rejected === undefined;
  },
  register: async (registration) => incarnationOf(await engine.register(registration)),
  receive: (effect, outcome, detail) => engine.receive(effect, outcome, detail),
  decide: (agentId, decision) => engine.decide(agentId, decision),
});

export const incarnationOf = (answer: Answer): number | null =>
  answer.kind === 'enrolled' && answer.enrollment.kind === 'enrolled' ? answer.agent.hard.incarnation : null;
