import { type Instant, instant, minutes } from '@holter/core';
import { defaultPolicies, policyFor } from '@holter/server/policy';
import { expect, test } from 'vitest';
import { climb, emptyLadder, type LadderState } from './ladder.ts';

const policy = policyFor(defaultPolicies, 'default', 'replayed');

const climbed = (steps: readonly { at: number | null; isActing: boolean }[]): LadderState =>
  steps.reduce(
    (state, { at, isActing }, step) =>
      climb(state, { step, at: at === null ? null : (instant(at) as Instant), isActing }, policy),
    emptyLadder,
  );

test('an agent that ignores everything climbs the whole ladder by the clock', () => {
  const steps = Array.from({ length: 60 }, (_, index) => ({ at: index * minutes(2), isActing: true }));
  const moves = climbed(steps).moves.map(({ move }) => move);
  expect(moves).toEqual(['nudge', 'nudge', 'nudge', 'escalate', 'terminate']);
});

test('without a clock further repeats move it on, and nothing terminates', () => {
  const moves = climbed(Array.from({ length: 60 }, () => ({ at: null, isActing: true }))).moves;
  expect(moves.map(({ move, step }) => `${move} ${step}`)).toEqual([
    'nudge 0',
    'nudge 5',
    'nudge 10',
    'escalate 15',
  ]);
});

test('a calm stretch closes the incident', () => {
  const calm = Array.from({ length: 25 }, () => ({ at: null, isActing: false }));
  const moves = climbed([{ at: null, isActing: true }, ...calm, { at: null, isActing: true }]).moves;
  expect(moves.map(({ move }) => move)).toEqual(['nudge', 'nudge']);
});
