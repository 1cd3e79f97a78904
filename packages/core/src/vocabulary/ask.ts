import type { Instant } from '../base/time.ts';
import type { NoticeSeverity } from './effect.ts';

/** A question from one agent's incident to the fleet. */
export type AskKind = 'loss' | 'nudge' | 'notice' | 'terminate' | 'start';

export type Ask = {
  readonly kind: AskKind;
  readonly agentId: string;
  readonly group: string;
  /** The effect that waits for the answer. */
  readonly effectId: string;
  /** One beat interval of the agent: the time in which losses count as simultaneous. */
  readonly intervalMs: number;
  /** A notice outside the steps of the ladder: sent if granted, otherwise only recorded. */
  readonly notice?: Notice;
};

export type Notice = {
  readonly severity: NoticeSeverity;
  readonly message: string;
  readonly incidentId: string;
};

export type Admission =
  | { readonly kind: 'granted' }
  | { readonly kind: 'deferred'; readonly until: Instant; readonly because: 'brake' | 'budget' };
