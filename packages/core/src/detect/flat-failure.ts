import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { callLabel } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import type { Memory } from './memory.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * Edit, test, the same failure; edit, test, the same failure.
 *
 * Intuition: an edit before a test run excuses the repetition only as long as the result changes. Eight rounds with
 * one unchanged assertion are guessing. The count belongs to the remembered call, so other steps in between (edits,
 * reads, other commands) neither add nor reset; only a different outcome of this call does: another failure, fewer
 * of them, or a success.
 *
 * Only failures count here; equal successes across edits are left to flat-success.
 *
 * Cutoff: warn 5, act 8. Three flat rounds and then insight is an ordinary morning. Blind spots: a test whose
 * failure text carries something random looks as if it changed. Rejected: requiring an edit in between in every
 * case: agents also try environment variables and flags.
 */
/** After this many other calls, the agent has moved on. */
const FORGET_AFTER = 12;

type FlatState = {
  readonly count: number;
  readonly losses: number;
  readonly call: number;
  /** The number of the call that failed last. */
  readonly lastIndex: number;
  readonly label: string;
  readonly since: Instant | null;
  readonly at: Instant | null;
};

const empty: FlatState = {
  count: 0,
  losses: 0,
  call: 0,
  lastIndex: 0,
  label: '',
  since: null,
  at: null,
};

const limits = {
  // Edit, test, same failure: people need three or four attempts too.
  // Failing every time with different text, never better: only a warning, because the text may carry news.
  flatFailure: { warn: 5, act: 8, neverBetterWarn: 9 },
};

type Policy = typeof limits;

export const flatFailure: Detector<FlatState, typeof limits> = {
  kinds: ['same-error'],
  limits,
  meanings: {
    flatFailure: 'Equal failures of one call, whatever is changed in between.',
  },
  empty,
  observe: (state, seen) => (seen.kind === 'call' ? observeFlat(state, seen.facts, seen.memory) : state),
  find: findFlat,
};

function observeFlat(state: FlatState, facts: CallFacts, memory: Memory): FlatState {
  const known = memory.calls[0];
  if (known === undefined || !facts.isError) return afterOther(state, facts);
  // Another failing call takes over only once it has failed as often.
  if (known.flat < 2 && known.losses < 4) return afterOther(state, facts);
  if (known.call !== state.call && known.flat < state.count) return afterOther(state, facts);
  const hasLabel = state.call === facts.call && state.label !== '';
  return {
    count: known.flat,
    losses: known.losses,
    call: facts.call,
    label: hasLabel ? state.label : callLabel(facts.tool, facts.step.input),
    since: known.flatSince,
    at: facts.at,
    lastIndex: facts.index,
  };
}

/** Other steps do not end it; a different outcome of this call does, or no longer making the call. */
function afterOther(state: FlatState, facts: CallFacts): FlatState {
  if (state.count === 0) return empty;
  const isOver = facts.call === state.call || facts.index - state.lastIndex > FORGET_AFTER;
  return isOver ? empty : state;
}

function findFlat(state: FlatState, policy: Policy): Finding | null {
  const limits = policy.flatFailure;
  if (state.count < limits.warn) return findNeverBetter(state, policy);
  const span = spanInWords(state.since, state.at);
  return finding({
    kind: 'same-error',
    severity: state.count >= limits.act ? 'act' : 'warn',
    since: state.since,
    evidence: `\`${state.label}\` failed ${times(state.count)} with the same error${span}, whatever was changed in between.`,
    threshold: `${limits.warn} equal failures of one call to warn, ${limits.act} to act`,
    count: state.count,
  });
}

function findNeverBetter(state: FlatState, policy: Policy): Finding | null {
  const limit = policy.flatFailure.neverBetterWarn;
  if (state.losses < limit) return null;
  return finding({
    kind: 'same-error',
    severity: 'warn',
    since: state.since,
    evidence: `\`${state.label}\` failed ${times(state.losses)} in a row and never got better, whatever was changed in between.`,
    threshold: `${limit} failures of one call without a better result`,
    count: state.losses,
  });
}
