import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

test.each([
  ['hartbeat', ['heartbeat', 'recovery'], 'heartbeat'],
  ['interval_second', ['interval_seconds', 'timeout_seconds'], 'interval_seconds'],
  ['colour', ['heartbeat', 'recovery'], undefined],
  ['x'.repeat(1_000), ['heartbeat'], undefined],
])('%s, known are %j: %s is meant', (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

test('the distance is the one of the definition', () => {
  const naive = (a: string, b: string): number => {
    if (a === '' || b === '') return a.length + b.length;
    const rest = naive(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
    return Math.min(rest, naive(a.slice(1), b) + 1, naive(a, b.slice(1)) + 1);
  };
  const words = fc.string({ maxLength: 5, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(fc.property(words, words, (a, b) => editDistance(a, b) === naive(a, b)));
});
