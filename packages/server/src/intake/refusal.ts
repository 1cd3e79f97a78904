import type { checkSignal, SignalRejectionCode } from '@holter/core';
import type { Answer } from '../engine/request.ts';

/** Why a signal or registration was refused. Never repeats the input, which may hold secrets. */
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
  | 'secret_id'
  | 'too_many_agents'
  | 'too_many_sessions'
  | 'too_many_starts'
  | 'too_many_tasks'
  | 'rejected';

export function refused(code: RefusalCode, message: string, field?: string): Refused {
  return { kind: 'refused', code, message, ...(field !== undefined && { field }) };
}

const REJECTIONS: Readonly<Record<SignalRejectionCode, RefusalCode>> = {
  'other-agent': 'other_agent',
  'stale-incarnation': 'stale_incarnation',
  'unknown-incarnation': 'unknown_incarnation',
  'no-incarnation': 'no_incarnation',
  'agent-ended': 'agent_ended',
  'too-many-tasks': 'too_many_tasks',
  'sensed-only': 'forbidden',
  'operator-only': 'forbidden',
  'own-breaker': 'forbidden',
};

const isOfSignal = (code: string): code is SignalRejectionCode => Object.hasOwn(REJECTIONS, code);

/** Null when the engine accepted it. */
export function refusalOfAnswer(answer: Answer, agentId: string): Refused | null {
  if (answer.kind === 'unknown-agent') return refused('unknown_agent', `no agent with the id ${agentId}`);
  if (answer.kind !== 'folded' || answer.rejected === undefined) return null;
  const { code, because } = answer.rejected;
  return refused(isOfSignal(code) ? REJECTIONS[code] : 'rejected', because);
}
