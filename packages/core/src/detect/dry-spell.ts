import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isEditCall, questionKey } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { finding, spanInWords } from './phrase.ts';
import { isSearchCall } from './search-call.ts';

/**
 * Looking and finding nothing.
 *
 * Intuition: searches without a match, lookups that fail, queries without a row, in any order and by any tool. Each
 * call is new, none is like the one before, and still nothing is found. near-duplicate sees only spellings of one
 * search in one place; here the only common thing is the lack of an answer.
 *
 * Definition: a counter goes up by one when a call says nothing ("no matches", an empty list, a silent search) or fails
 * and is no edit; it goes down by one, not below 0, on a successful edit or an answer that is not among the recent
 * looks. A better number and a person's message set it to 0. Test runs are left out: red is their answer. So is the
 * same question put to another place, which is a sweep.
 *
 * Cutoff: warn 6, the length of a search that has run out of ideas. It never acts: "nothing" may be the answer that
 * was wanted, and such a search ends by itself.
 *
 * Silence counts only for searches (`find`, `grep … || true`), see `search-call.ts`: other programs that succeed in
 * silence have done something. Blind spots: searches by unknown programs that say nothing. Rejected: a share of dry
 * calls in a window, which needs the window and forgets the first half of a long spell.
 */
type DryState = {
  readonly count: number;
  /** What the last dry call asked. */
  readonly question: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
};

const empty: DryState = { count: 0, question: 0, since: null, lastAt: null };

const limits = {
  // Five fruitless looks and then an idea is an ordinary search.
  drySpell: { warn: 6 },
};

type Policy = typeof limits;

export const drySpell: Detector<DryState, typeof limits> = {
  kinds: ['dry-spell'],
  limits,
  meanings: {
    drySpell: 'Calls that found nothing or failed, beyond those that brought something new.',
  },
  empty,
  observe: (state, seen) => {
    if (seen.kind === 'call') return observeCall(state, seen.facts);
    return seen.kind === 'person' ? empty : state;
  },
  find: findDry,
};

function observeCall(state: DryState, facts: CallFacts): DryState {
  if (facts.comparison.isImproved) return empty;
  if (facts.isEdit) return wetter(state);
  if (facts.look === null || facts.isTest) return state;
  if (isDry(facts)) {
    const question = questionKey(facts.tool, facts.step.input);
    const isSweep = question === state.question && facts.look.visits === 1;
    return {
      count: isSweep ? state.count : state.count + 1,
      question,
      since: state.count === 0 ? facts.at : state.since,
      lastAt: facts.at,
    };
  }
  return facts.look.visits === 1 && facts.look.others === 0 && !facts.isError ? wetter(state) : state;
}

function isDry(facts: CallFacts): boolean {
  if (facts.isError) return !isEditCall(facts.step.input);
  return facts.nothing === 'in-words' || (facts.nothing === 'silent' && isSearchCall(facts.step.input));
}

const wetter = (state: DryState): DryState =>
  state.count <= 1 ? empty : { ...state, count: state.count - 1 };

function findDry(state: DryState, policy: Policy): Finding | null {
  if (state.count < policy.drySpell.warn) return null;
  return finding({
    kind: 'dry-spell',
    severity: 'warn',
    since: state.since,
    evidence: `Calls found nothing or failed, ${state.count} more than brought something new${spanInWords(state.since, state.lastAt)}.`,
    threshold: `${policy.drySpell.warn} more fruitless calls than fruitful ones`,
    count: state.count,
  });
}
