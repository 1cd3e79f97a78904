import type { checkSignal } from '@holter/core';
import type { Answer } from '../engine/agent-cell.ts';

/** Why a signal or a registration was not taken. Never repeats what was sent. */
export type Refused = {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  readonly message: string;
  readonly field?: string;
};

type SignalProblemCode = Extract<ReturnType<typeof checkSignal>, { kind: 'bad-signal' }>['code'];

type RefusalCode =
  | SignalProblemCode
  | 'other_agent'
  | 'forbidden'
  | 'stale_incarnation'
  | 'unknown_incarnation'
  | 'no_incarnation'
  | 'agent_ended'
  | 'unknown_agent'
  | 'too_many_agents'
  | 'rejected';

export function refused(code: RefusalCode, message: string, field?: string): Refused {
  return { kind: 'refused', code, message, ...(field !== undefined && { field }) };
}

/** The core's reasons, by the words that it puts on record. */
const rejections: Readonly<Record<string, RefusalCode>> = {
  'stale incarnation': 'stale_incarnation',
  'unknown incarnation': 'unknown_incarnation',
  'no incarnation, but the agent is registered': 'no_incarnation',
  'the agent has ended': 'agent_ended',
  'only Holter itself may say this': 'forbidden',
  'only an operator may pause': 'forbidden',
};

/** Null when the engine took it. */
export function refusalOfAnswer(answer: Answer): Refused | null {
  if (answer.kind === 'unknown-agent')
    return refused('unknown_agent', 'nobody has registered an agent of this id');
  if (answer.kind !== 'folded' || answer.rejected === undefined) return null;
  return refused(rejections[answer.rejected] ?? 'rejected', answer.rejected);
}
