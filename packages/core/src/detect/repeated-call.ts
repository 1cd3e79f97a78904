import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { callLabel } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { finding, spanInWords, times } from './phrase.ts';
import type { CommonPolicy } from './policy.ts';
import { findPoll } from './poll.ts';

/**
 * The same call again and again, with nothing new coming back.
 *
 * Intuition: an agent that makes one call five times in a row and learns nothing from it will not learn from the
 * sixth. Text between the calls (thoughts, nudges, harness notes, compactions) does not matter; another call does. A
 * changed success restarts the count; a changed error does not, because a call that fails with different text is
 * still failing.
 *
 * Time distinguishes hammering from waiting. Repeats that come fast count towards `repeated-call`. Repeats that are
 * spaced out, or that declare themselves a wait, count towards `unchanged-poll`, which is patient: a job may well be
 * queued for half an hour. It is reported in the end all the same, since 1,535 polls of an unchanging job have cost
 * somebody 150 dollars.
 *
 * Cutoff: warn 3 and act 5 (errors in varying words 4 and 6); polls warn at 8 and five minutes, act at 60 and an
 * hour. Test runs that pass warn at 3 as well, but act only at 10: running them a few times more may be meant to show
 * that they are stable. A sleep of two seconds before a look declares a wait; before a restart it takes ten. Without a clock, every
 * repeat that is not a declared poll counts as fast.
 *
 * Blind spots: a loop paced slower than 20 s a step passes for waiting until the poll limits. A repeat with one
 * different call between is left to call-cycle and zero-diversity.
 *
 * Rejected: counting equal calls anywhere in a window ("six of the same anywhere"): it hits every edit-and-test
 * loop.
 */
type CallRun = {
  readonly call: number;
  readonly tool: string;
  readonly label: string;
  /** Occurrences that came fast, the first included. */
  readonly hasty: number;
  /** Occurrences that came after a wait, the first included. */
  readonly patient: number;
  /** True once two of the errors were worded differently. */
  readonly isVaried: boolean;
  readonly isError: boolean;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
  /** What the waits among them declared. */
  readonly sleptMs: number;
  /** They are test runs that pass. */
  readonly isGreen?: boolean;
};

/** Thoughts that a tool logs do not interrupt a run. */
type RepeatState = { readonly work: CallRun | null; readonly thought: CallRun | null };

const empty: RepeatState = { work: null, thought: null };

/** Counts are of occurrences: 3 means "the third time". */
const limits = {
  // Three equal calls have precision 0.88 on labelled traces: worth a look. Five have no innocent reading left.
  repeatedCall: { warn: 3, act: 5 },
  // One call that fails every time with different text: one more, because the text may carry news.
  variedError: { warn: 4, act: 6 },
  // Nobody proves by ten equal runs, without being asked to, that a suite is stable.
  passingTests: { warn: 3, act: 10 },
};

type Policy = CommonPolicy & typeof limits;

export const repeatedCall: Detector<RepeatState, typeof limits> = {
  kinds: ['repeated-call', 'unchanged-poll'],
  limits,
  meanings: {
    repeatedCall: 'Equal calls with equal results; five have no innocent reading left.',
    variedError:
      'One call that fails every time with different text; one more, because the text may carry news.',
    passingTests: 'Test runs that pass with equal results; a few may be meant to show that they are stable.',
  },
  empty,
  observe: (state, seen) => {
    if (seen.kind === 'call') return observeRepeat(state, seen.facts);
    return seen.kind === 'opaque-call' ? empty : state;
  },
  find: findRepeat,
};

function observeRepeat(state: RepeatState, facts: CallFacts): RepeatState {
  if (facts.isThought) return { work: state.work, thought: continueRun(state.thought, facts) };
  return { work: continueRun(state.work, facts), thought: state.thought };
}

function continueRun(run: CallRun | null, facts: CallFacts): CallRun {
  if (run === null || run.call !== facts.call || !facts.comparison.isSame) return beginRun(facts);
  if (facts.isAskedFor) return { ...run, lastAt: facts.at };
  return {
    call: run.call,
    tool: run.tool,
    label: run.label === '' ? callLabel(facts.tool, facts.step.input) : run.label,
    hasty: facts.isPatient ? run.hasty : run.hasty + 1,
    patient: facts.isPatient ? run.patient + 1 : run.patient,
    isVaried: run.isVaried || !facts.comparison.isSameText,
    isError: facts.isError,
    since: run.since,
    lastAt: facts.at,
    sleptMs: (run.sleptMs ?? 0) + facts.sleepMs,
    ...(isGreen(facts) && { isGreen: true }),
  };
}

const isGreen = ({ isTest, isError, comparison }: CallFacts): boolean =>
  isTest && !isError && comparison.print.gauge.bad <= 0;

function beginRun(facts: CallFacts): CallRun {
  return {
    call: facts.call,
    tool: facts.tool,
    label: '',
    hasty: 1,
    patient: 1,
    isVaried: false,
    isError: facts.isError,
    since: facts.at,
    lastAt: facts.at,
    sleptMs: 0,
  };
}

/** A run's first occurrence counts for both paces, so the sum is 3 at its second. */
const FEWEST = 3;

const isShort = (run: CallRun | null): boolean => run === null || run.hasty + run.patient < FEWEST;

function findRepeat(state: RepeatState, policy: Policy): readonly Finding[] | null {
  if (isShort(state.work) && isShort(state.thought)) return null;
  const found: Finding[] = [];
  for (const run of [state.work, state.thought]) {
    if (run === null || isShort(run)) continue;
    const hasty = findHasty(run, policy);
    if (hasty !== null) found.push(hasty);
    const patient = run.patient < policy.poll.warn ? null : findPatient(run, policy);
    if (patient !== null) found.push(patient);
  }
  return found;
}

function findHasty(run: CallRun, policy: Policy): Finding | null {
  const limits =
    run.isGreen === true ? policy.passingTests : run.isVaried ? policy.variedError : policy.repeatedCall;
  if (run.hasty < limits.warn) return null;
  const outcome = !run.isError
    ? 'with the same result'
    : run.isVaried
      ? 'and failed each time'
      : 'with the same error';
  return finding({
    kind: 'repeated-call',
    severity: run.hasty >= limits.act ? 'act' : 'warn',
    since: run.since,
    evidence: `\`${run.label}\` was called ${times(run.hasty)} in a row ${outcome}${spanInWords(run.since, run.lastAt)}.`,
    threshold: `${limits.warn} ${run.isGreen === true ? 'passing test runs' : 'calls'} in a row without a new result to warn, ${limits.act} to act`,
    count: run.hasty,
  });
}

function findPatient(run: CallRun, policy: Policy): Finding | null {
  const { patient: count, since, lastAt, sleptMs } = run;
  const what = `\`${run.label}\` was polled ${times(count)}`;
  return findPoll({ what, count, since, lastAt, sleptMs: sleptMs ?? 0 }, policy);
}
