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
