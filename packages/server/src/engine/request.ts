import type {
  Acquired,
  Agent,
  ClaimVerdict,
  Enrollment,
  InputBody,
  Registration,
  Transition,
} from '@holter/core';
import type { DueAgent } from '../store/store.ts';

/** A request to an agent's cell: fold an input, or register a new incarnation. */
export type Request = {
  readonly correlationId: string;
} /** `due` is what the store knew when the agent was claimed for a look. */ & (
  | { readonly kind: 'input'; readonly body: InputBody; readonly due?: DueAgent }
  | { readonly kind: 'register'; readonly registration: Registration }
);

export type Answer =
  | {
      readonly kind: 'folded';
      readonly agent: Agent;
      readonly claim?: ClaimVerdict;
      /** Why a claim was cancelled. */
      readonly cancelledBecause?: string;
      /** The breaker's answer, if the request asked one. */
      readonly permit?: Acquired;
      readonly rejected?: Transition['rejection'];
    }
  | { readonly kind: 'enrolled'; readonly agent: Agent; readonly enrollment: Enrollment }
  /** No agent with this id is registered. */
  | { readonly kind: 'unknown-agent' };

export const isBeat = (request: Request): request is Request & { kind: 'input' } =>
  request.kind === 'input' && request.body.kind === 'signal' && request.body.signal.kind === 'heartbeat';

export function whatOf(request: Request): string {
  if (request.kind === 'register') return 'register';
  const { body } = request;
  return body.kind === 'signal' ? `signal ${body.signal.kind}` : body.kind;
}

/** The caller decides, acts or starts a process based on the answer. */
export const needsNewest = (request: Request): boolean =>
  request.kind === 'register' || request.body.kind === 'decision' || request.body.kind === 'claim';

export const isRefusal = (answer: Answer): boolean =>
  answer.kind === 'unknown-agent' || (answer.kind === 'folded' && answer.rejected !== undefined);

/** A check whose deadline had come, with the soft facts that all servers had stored by then. */
export const isDue = (request: Request): request is Request & { kind: 'input'; due: DueAgent } =>
  request.kind === 'input' && request.due !== undefined;
