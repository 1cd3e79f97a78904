import { expect, test } from 'vitest';
import { instant, minutes } from '../base/time.ts';
import {
  emptyContextState,
  emptyTokenState,
  emptyVerdictState,
  findContext,
  findTokenSpike,
  findVerdictStreak,
  observeContext,
  observeTokens,
  observeVerdict,
  defaultDetectionPolicy as policy,
  streakGrade,
  type TokenState,
  type Verdict,
  verdictStallAt,
} from './index.ts';

const judged = (verdicts: readonly Verdict[]) =>
  verdicts.reduce(
    (state, verdict, index) => observeVerdict(state, { verdict, at: instant(index * 1_000) }),
    emptyVerdictState,
  );

test('a streak of verdicts is graded 5, 10, 15, 20 and ended by ACCEPT; steps that were not judged do not count', () => {
  const retries = (count: number): Verdict[] => Array.from({ length: count }, () => 'RETRY');
  expect(findVerdictStreak(judged(retries(4)), policy)).toBeNull();
  expect(findVerdictStreak(judged(retries(5)), policy)?.severity).toBe('warn');
  expect(findVerdictStreak(judged([...retries(9), 'COMPACTION', 'ESCALATE']), policy)?.severity).toBe('act');
  expect(findVerdictStreak(judged([...retries(9), 'CONTINUE', 'CONTINUE']), policy)).toMatchObject({
    severity: 'warn',
    count: 9,
  });
  expect(findVerdictStreak(judged([...retries(9), 'ACCEPT']), policy)).toBeNull();
  expect([5, 10, 15, 20].map((streak) => streakGrade(streak, policy))).toEqual([
    'warning',
    'medium',
    'high',
    'critical',
  ]);
});

test('verdicts stall four minutes after the last one', () => {
  expect(verdictStallAt(emptyVerdictState, policy)).toBeNull();
  expect(verdictStallAt(judged(['RETRY', 'ACCEPT']), policy)).toBe(1_000 + minutes(4));
});

/** One total per half minute. */
const consumed = (amounts: readonly number[]): TokenState => {
  let total = 0;
  return amounts.reduce((state, amount, index) => {
    total += amount;
    return observeTokens(state, { total, at: instant(index * 30_000) }, policy);
  }, emptyTokenState);
};

test('a spike is measured against the agent itself', () => {
  const usual = Array.from({ length: 14 }, () => 2_000);
  expect(findTokenSpike(consumed([...usual, 2_000, 2_000, 2_000]), policy)).toBeNull();
  expect(findTokenSpike(consumed([...usual, 40_000, 40_000, 40_000]), policy)?.severity).toBe('warn');
  expect(findTokenSpike(consumed([90_000, 90_000, 90_000]), policy)).toBeNull();
});

test('a full context is a finding until a handoff is written or it is compacted', () => {
  const full = observeContext(emptyContextState, { kind: 'use', share: 0.96, at: instant(5) }, policy);
  expect(findContext(full, policy)?.severity).toBe('act');
  expect(findContext(observeContext(full, { kind: 'handoff' }, policy), policy)).toBeNull();
  expect(
    findContext(observeContext(full, { kind: 'use', share: 0.3, at: instant(9) }, policy), policy),
  ).toBeNull();
});
