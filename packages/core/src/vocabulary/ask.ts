import type { Instant } from '../base/time.ts';
import type { NoticeSeverity } from './effect.ts';

/** A question of one agent's incident to the whole fleet. */
export type AskKind = 'loss' | 'nudge' | 'notice' | 'terminate' | 'start';

export type Ask = {
  readonly kind: AskKind;
  readonly agentId: string;
  readonly group: string;
  /** The effect that waits for it. */
  readonly effectId: string;
  /** One beat interval of the agent, for "at the same time". */
  readonly intervalMs: number;
  /** A notice beside the ladder's own steps: sent if it is granted, only recorded if not. */
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
