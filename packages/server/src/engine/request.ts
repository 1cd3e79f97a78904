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

/** What can be asked of an agent's cell: fold an input, or enrol a new instance. */
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
      /** The answer of a breaker that was asked. */
      readonly permit?: Acquired;
      readonly rejected?: Transition['rejection'];
    }
  | { readonly kind: 'enrolled'; readonly agent: Agent; readonly enrollment: Enrollment }
  /** Nobody has heard of this agent. */
  | { readonly kind: 'unknown-agent' };
