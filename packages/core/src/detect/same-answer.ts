import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isEditCall } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { answerKey } from './looks.ts';
import { finding, times } from './phrase.ts';

/**
 * Rewording a request does not change the answer.
 *
 * Intuition: an agent that does not like an answer asks again in other words: another flag, another pipe, another
 * range. Every call is new and succeeds, so all other detectors are silent, but what comes back is the same page.
 *
 * Definition: a successful call that is no edit returns three informative lines or more, and this answer was given
 * to a different call of the same tool since the last successful edit. It holds until a call returns something new
 * or a person speaks. Some tools edit and test in one call; their answers count too if they report failures, and as
 * long as all edits in between gave the same one.
 *
 * Cutoff: warn when the same answer comes for the fourth time, and for the eighth time from edits, because each of
 * them is an attempt. Short answers ("ok", "true", "[]") are the same for many good reasons, hence the three lines.
 * It never acts.
 *
 * Blind spots: pages that differ slightly; legitimate probing of a service with one page for all. Rejected:
 * similarity of the requests: sweeps are more similar than rewordings.
 */
type Answers = {
  readonly count: number;
  readonly tool: string;
  readonly lastAt: Instant | null;
};

type AnswerState = {
  /** Set while it is to be reported. */
  readonly looks: Answers | null;
  readonly edits: (Answers & { readonly answer: number }) | null;
};

const empty: AnswerState = { looks: null, edits: null };

const limits = {
  // Two requests may well have one answer, and a third may check; the fourth is told nothing new.
  sameAnswer: { warn: 4 },
  // As often as one call may return the same across edits; at five a run that had succeeded was warned about.
  sameFailure: { warn: 8 },
};

type Policy = typeof limits;

export const sameAnswer: Detector<AnswerState, typeof limits> = {
  kinds: ['same-answer'],
  limits,
  meanings: {
    sameAnswer: 'Different requests with one answer.',
    sameFailure: 'Different attempts with one failure.',
  },
  empty,
  observe: (state, seen, policy) => {
    if (seen.kind === 'call') return observeAnswer(state, seen.facts, policy);
    return seen.kind === 'person' ? empty : state;
  },
  find: findSameAnswer,
};

const LINES_MIN = 3;

function observeAnswer(state: AnswerState, facts: CallFacts, policy: Policy): AnswerState {
  const { look } = facts;
  if (isAttempt(facts)) return afterEdit(state, facts);
  // The same summary of another test run is an answer to another question.
  if (look === null || (facts.isTest && !facts.isError)) return state;
  if (facts.isError || look.others === 0)
    return facts.isProgress && state.looks !== null ? { ...state, looks: null } : state;
  const count = look.visits + look.others;
  if (facts.comparison.print.lines < LINES_MIN || count < policy.sameAnswer.warn) return state;
  return { ...state, looks: { count, tool: facts.tool, lastAt: facts.at } };
}

/** An edit, also one that was made before. */
const isAttempt = ({ isEdit, isError, isStale, comparison, step }: CallFacts): boolean =>
  isEdit || (isStale && !isError && comparison.print.gauge.bad > 0 && isEditCall(step.input));

function afterEdit({ edits }: AnswerState, facts: CallFacts): AnswerState {
  const { print, result } = facts.comparison;
  if (print.gauge.bad <= 0) return empty;
  const answer = answerKey(facts.tool, result);
  const count = edits !== null && edits.answer === answer ? edits.count + 1 : 1;
  return { looks: null, edits: { answer, count, tool: facts.tool, lastAt: facts.at } };
}

function findSameAnswer({ looks, edits }: AnswerState, policy: Policy): Finding | null {
  const fromEdits = edits !== null && edits.count >= policy.sameFailure.warn ? edits : null;
  const answers = looks ?? fromEdits;
  if (answers === null) return null;
  const [asked, limit] =
    looks === null
      ? ['edits, failures included', policy.sameFailure.warn]
      : ['requests, and nothing was edited in between', policy.sameAnswer.warn];
  return finding({
    kind: 'same-answer',
    severity: 'warn',
    since: answers.lastAt,
    evidence: `Tool \`${answers.tool.slice(0, 40)}\` gave the same answer ${times(answers.count)} to different ${asked}.`,
    threshold: `${limit} equal answers to different calls`,
    count: answers.count,
  });
}
