import { expect, test } from 'vitest';
import { Random } from './random.ts';

test('the same seed and stream throw the same dice, others do not', () => {
  const throwsOf = (seed: number, stream: number): number[] => {
    const random = new Random(seed, stream);
    return Array.from({ length: 5 }, () => random.unit());
  };
  expect(throwsOf(1, 2)).toEqual(throwsOf(1, 2));
  expect(throwsOf(1, 2)).not.toEqual(throwsOf(1, 3));
  expect(throwsOf(1, 2)).not.toEqual(throwsOf(2, 2));
  expect(throwsOf(1, 2)).not.toEqual(throwsOf(2, 1));
});

test('the shapes are what their names say', () => {
  const random = new Random(3, 3);
  const count = 40_000;
  const draw = (one: () => number): number[] => Array.from({ length: count }, one).sort((a, b) => a - b);
  const middle = (values: number[]): number => values[count / 2] as number;
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / count;
  expect(mean(draw(() => random.unit()))).toBeCloseTo(0.5, 1);
  expect(mean(draw(() => random.exponential(10)))).toBeGreaterThan(9.5);
  expect(mean(draw(() => random.exponential(10)))).toBeLessThan(10.5);
  const calls = draw(() => random.lognormal(20, 1));
  expect(middle(calls)).toBeGreaterThan(19);
  expect(middle(calls)).toBeLessThan(21);
  // The tail is not cut: the slowest of forty thousand takes more than twenty times the median.
  expect(calls.at(-1)).toBeGreaterThan(400);
});
