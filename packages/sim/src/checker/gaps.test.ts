import { expect, test } from 'vitest';
import { Gaps } from './gaps.ts';

const S = 1_000;

test('without gaps a deadline is where it was, and one tick of doubt', () => {
  const gaps = new Gaps();
  expect(gaps.deadline(100 * S, 60 * S, 60 * S)).toBe(160 * S);
  expect(gaps.latest(100 * S, 60 * S, 60 * S)).toBe(161 * S);
});

test('a gap moves a deadline by itself and by its grace, never by more than one interval of grace', () => {
  const gaps = new Gaps();
  gaps.add(110 * S, 113 * S);
  expect(gaps.deadline(100 * S, 60 * S, 60 * S)).toBe((160 + 3 + 10) * S);
  gaps.add(120 * S, 170 * S);
  expect(gaps.deadline(100 * S, 60 * S, 60 * S)).toBe((160 + 53 + 60) * S);
});

test('a gap before the start, or after the deadline, moves nothing', () => {
  const gaps = new Gaps();
  gaps.add(10 * S, 90 * S);
  gaps.add(500 * S, 900 * S);
  expect(gaps.deadline(100 * S, 60 * S, 60 * S)).toBe(160 * S);
});

test('knows the first moment at which somebody looked', () => {
  const gaps = new Gaps();
  gaps.add(10 * S, 90 * S);
  expect(gaps.lookedFrom(50 * S)).toBe(90 * S);
  expect(gaps.lookedFrom(91 * S)).toBe(91 * S);
});

test('counts what two gaps cover once', () => {
  const gaps = new Gaps();
  gaps.add(110 * S, 115 * S);
  gaps.add(114 * S, 115 * S);
  expect(gaps.deadline(100 * S, 60 * S, 60 * S)).toBe((160 + 5 + 10) * S);
  gaps.add(105 * S, 120 * S);
  expect(gaps.deadline(100 * S, 60 * S, 60 * S)).toBe((160 + 15 + 30) * S);
});
