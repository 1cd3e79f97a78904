import type { Instant } from '../base/time.ts';
import type { NoticeSeverity } from './alert.ts';

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
  /**
   * The agent has kept its promises before: only then its loss counts, and its group's own share is open to it. A
   * crash that Holter itself saw counts in any case.
   */
  readonly hasKept: boolean;
  /** For a loss: the last sign of life. Agents that were lost together may be missed at different times. */
  readonly signAt?: Instant;
  /** A person ordered it: the brake holds back only what Holter does by itself. */
  readonly isOrdered?: true;
  /** A notice outside the steps of the ladder: sent if granted, otherwise only recorded. */
  readonly notice?: Notice;
};

export type Notice = {
  readonly severity: NoticeSeverity;
  readonly message: string;
  /** Null for what is no part of an incident. */
  readonly incidentId: string | null;
};

export type Admission =
  | { readonly kind: 'granted' }
  | { readonly kind: 'deferred'; readonly until: Instant; readonly because: 'brake' | 'budget' };
