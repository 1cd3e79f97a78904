import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { finding } from './phrase.ts';
import type { MeterPolicy } from './policy.ts';

/**
 * The context is nearly full and the agent has not written down what matters.
 *
 * Intuition: a full context ends in a compaction or in an error, and what is not in a checkpoint or a handoff note
 * by then is lost. So fullness alone is no finding; fullness without a handoff is.
 *
 * Cutoff: warn at 85 %, act at 95 %. A compaction or a new session shows as lower use and clears it; so does a
 * checkpoint or a handoff written since the context filled up. Blind spots: agents that do not report their use.
 * Rejected: extrapolating when it will be full: one large file breaks any forecast.
 */
export type ContextState = {
  readonly use: number;
  readonly since: Instant | null;
  readonly hasHandoff: boolean;
};

export const emptyContextState: ContextState = { use: 0, since: null, hasHandoff: false };

export type ContextInput =
  | { readonly kind: 'use'; readonly share: number; readonly at: Instant }
  | { readonly kind: 'handoff' };

export function observeContext(state: ContextState, input: ContextInput, policy: MeterPolicy): ContextState {
  if (input.kind === 'handoff') return { ...state, hasHandoff: true };
  const use = Math.min(1, Math.max(0, input.share));
  if (use < policy.context.warn) return { use, since: null, hasHandoff: false };
  return { use, since: state.since ?? input.at, hasHandoff: state.hasHandoff };
}

export function findContext(state: ContextState, policy: MeterPolicy): Finding | null {
  if (state.use < policy.context.warn || state.hasHandoff) return null;
  return finding({
    kind: 'context-exhausted',
    severity: state.use >= policy.context.act ? 'act' : 'warn',
    since: state.since,
    evidence: `The context is ${Math.round(state.use * 100)} % full and no checkpoint or handoff was written since.`,
    threshold: `${policy.context.warn * 100} % to warn, ${policy.context.act * 100} % to act`,
  });
}
