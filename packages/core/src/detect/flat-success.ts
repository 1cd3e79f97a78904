import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { callLabel } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import type { Memory } from './memory.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * Look, look, edit something, look, look: an edit here and there does not make a loop work.
 *
 * Intuition: an edit excuses looking again, but only as long as the sight changes. Eight looks with one answer say
 * that the edits have nothing to do with it. As in flat-failure the count belongs to the remembered call, so nothing
 * in between adds or resets; only another answer of this call does.
 *
 * Without any edit in between this is left to revisit and zero-diversity. A clean check right after an edit does not
 * count: a green suite, a silent compiler, "no problems" after each of thirty edits are how refactoring looks. The
 * same check twice after one edit does, and so does a look at anything else, also if it answers "ok".
 *
 * Cutoff: warn 8. It never acts: the edits may be the work, and the look a habit. Blind spots: a look that alternates
 * between two answers is left to call-cycle; a loop through more than twelve calls is forgotten. Rejected: counting
 * every repetition in a window, whatever came back: it hits every edit-and-test loop.
 */
/** After this many other calls, the agent has moved on. */
const FORGET_AFTER = 12;
/** Labels are made only for what may be reported soon. */
const LABEL_FROM = 3;

type FlatSuccess = {
  readonly count: number;
  readonly call: number;
  /** The number of the call that was counted last. */
  readonly lastIndex: number;
  readonly label: string;
  readonly since: Instant | null;
  readonly at: Instant | null;
} | null;

const limits = {
  // Five looks between edits are a habit; eight with one answer are not about the edits.
  flatSuccess: { warn: 8 },
};

type Policy = typeof limits;

export const flatSuccess: Detector<FlatSuccess, typeof limits> = {
  kinds: ['repeated-call'],
  limits,
  meanings: {
    flatSuccess: 'Equal results of one call, with edits in between.',
  },
  empty: null,
  observe: (state, seen) => (seen.kind === 'call' ? observeFlat(state, seen.facts, seen.memory) : state),
  find: findFlat,
};

function observeFlat(state: FlatSuccess, facts: CallFacts, memory: Memory): FlatSuccess {
  const known = memory.calls[0];
  const isCounted =
    known !== undefined &&
    !facts.isError &&
    !facts.isThought &&
    known.flat >= LABEL_FROM &&
    memory.editCount > (known.flatEdits ?? 0);
  if (!isCounted || (state !== null && known.call !== state.call && known.flat < state.count))
    return afterOther(state, facts);
  return {
    count: known.flat,
    call: facts.call,
    label: state?.call === facts.call ? state.label : callLabel(facts.tool, facts.step.input),
    since: known.flatSince,
    at: facts.at,
    lastIndex: facts.index,
  };
}

/** Another outcome of this call ends it, or no longer making the call. */
function afterOther(state: FlatSuccess, facts: CallFacts): FlatSuccess {
  if (state === null) return null;
  return facts.call === state.call || facts.index - state.lastIndex > FORGET_AFTER ? null : state;
}

function findFlat(state: FlatSuccess, policy: Policy): Finding | null {
  const limit = policy.flatSuccess.warn;
  if (state === null || state.count < limit) return null;
  return finding({
    kind: 'repeated-call',
    severity: 'warn',
    since: state.since,
    evidence: `\`${state.label}\` gave the same result ${times(state.count)}${spanInWords(state.since, state.at)}, whatever was changed in between.`,
    threshold: `${limit} equal results of one call across edits`,
    count: state.count,
  });
}
