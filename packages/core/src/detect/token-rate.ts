import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { finding } from './phrase.ts';
import type { MeterPolicy } from './policy.ts';

/**
 * Tokens: far more than usual. That none are used is a matter of time; see `rule/token-flat.ts`.
 *
 * Intuition: an agent's own past is the only fair measure of its consumption. Totals are folded into windows of a
 * minute; the usual rate is an exponential average of the windows before. A window far above it is a spike (a
 * runaway prompt, a huge file read again and again).
 *
 * Cutoff: a spike is 5 times the usual rate and at least 20,000 tokens in a minute, after five minutes of history;
 * it only warns, because a large file is a large file. Blind spots: an agent that is wasteful from the start has a
 * wasteful usual rate. Rejected: limits in tokens per minute: they say more about the model than about the agent.
 */
export type TokenState = {
  readonly total: number;
  readonly windowStart: Instant | null;
  readonly windowTokens: number;
  /** Tokens in a usual window. Meaningful only when `windows` has reached the policy's minimum. */
  readonly usual: number;
  readonly windows: number;
  /** How far the last full window was above the usual one; 0 if it was not. */
  readonly spike: { readonly tokens: number; readonly usual: number; readonly at: Instant } | null;
  readonly lastAt: Instant | null;
};

export const emptyTokenState: TokenState = {
  total: 0,
  windowStart: null,
  windowTokens: 0,
  usual: 0,
  windows: 0,
  spike: null,
  lastAt: null,
};

export type TokenInput = { readonly total: number; readonly at: Instant };

export function observeTokens(state: TokenState, input: TokenInput, policy: MeterPolicy): TokenState {
  // Totals restart with a new session; earlier ones are no measure of it.
  const used = input.total >= state.total ? input.total - state.total : input.total;
  const open = { ...state, total: input.total, lastAt: input.at };
  if (state.windowStart === null) return { ...open, windowStart: input.at, windowTokens: used };
  const windowTokens = state.windowTokens + used;
  if (input.at - state.windowStart < policy.tokens.windowMs) return { ...open, windowTokens };
  return closeWindow({ ...open, windowTokens }, input.at, policy);
}

function closeWindow(state: TokenState, at: Instant, policy: MeterPolicy): TokenState {
  const { spikeFactor, spikeTokensMin, windowsMin, weight, windowMs } = policy.tokens;
  // Reports may be further apart than a window.
  const elapsedMs = Math.max(windowMs, at - (state.windowStart ?? at));
  const tokens = Math.round((state.windowTokens * windowMs) / elapsedMs);
  const isSpike =
    state.windows >= windowsMin && tokens >= spikeTokensMin && tokens > state.usual * spikeFactor;
  return {
    ...state,
    windowStart: at,
    windowTokens: 0,
    usual: state.windows === 0 ? tokens : state.usual + (tokens - state.usual) * weight,
    windows: Math.min(state.windows + 1, windowsMin),
    spike: isSpike ? { tokens, usual: Math.round(state.usual), at } : null,
  };
}

export function findTokenSpike(state: TokenState, policy: MeterPolicy): Finding | null {
  if (state.spike === null) return null;
  return finding({
    kind: 'token-spike',
    severity: 'warn',
    since: state.spike.at,
    evidence: `${state.spike.tokens} tokens a minute, usually ${state.spike.usual}.`,
    threshold: `${policy.tokens.spikeFactor} times the usual consumption`,
  });
}
