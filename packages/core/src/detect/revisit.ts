import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { callLabel } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { finding, times } from './phrase.ts';

/**
 * The same look, the same answer, nothing changed between, though other calls intervene.
 *
 * Intuition: repeated-call wants its calls in a row, call-cycle in a fixed order. An agent that has lost the thread
 * looks at one file, then at others, then at the first again. Nothing was edited, so the file cannot say anything
 * new, and the third look shows that the first two were not used.
 *
 * Definition: this call with this answer occurs for the third time among the last 24 looks since the last successful
 * edit, and the look before it was another one: repeats in a row are repeated-call's. Waits, repeats that a person
 * asked for, and logged thoughts are no looks. It holds until a call returns something new or a person speaks.
 *
 * Cutoff: warn 3; twice is ordinary (look, think, look again). It never acts: a look costs little.
 *
 * Blind spots: edits that hide in code that the agent runs look like no edit; an answer with something random in it
 * looks like a new one. Rejected: a novelty rate over a window, which alarms about every careful review.
 */
type RevisitState = {
  readonly visits: number;
  readonly label: string;
  readonly lastAt: Instant | null;
} | null;

const limits = {
  // Twice is ordinary: look, think, look again.
  revisit: { warn: 3 },
};

type Policy = typeof limits;

export const revisit: Detector<RevisitState, typeof limits> = {
  kinds: ['revisit'],
  limits,
  meanings: {
    revisit: 'Equal looks with equal answers since the last edit, among other calls; twice is ordinary.',
  },
  empty: null,
  observe: (state, seen, policy) => {
    if (seen.kind === 'call') return observeLook(state, seen.facts, policy);
    return seen.kind === 'person' ? null : state;
  },
  find: findRevisit,
};

function observeLook(state: RevisitState, facts: CallFacts, policy: Policy): RevisitState {
  if (facts.isProgress) return null;
  const { look } = facts;
  if (look === null || look.isInRow || look.visits < policy.revisit.warn) return state;
  const label = callLabel(facts.tool, facts.step.input);
  return { visits: look.visits, label, lastAt: facts.at };
}

function findRevisit(state: RevisitState, policy: Policy): Finding | null {
  if (state === null) return null;
  return finding({
    kind: 'revisit',
    severity: 'warn',
    since: state.lastAt,
    evidence: `\`${state.label}\` gave the same answer ${times(state.visits)} among other calls, and nothing was edited in between.`,
    threshold: `${policy.revisit.warn} equal looks since the last edit`,
    count: state.visits,
  });
}
