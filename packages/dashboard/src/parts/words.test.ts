import { expect, test } from 'vitest';
import { ago, brief, dollars, duration, inTime, ordinal, plural, short } from './words.ts';

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [3_660_000, '1 h 1 min'],
  [86_400_000, '1 day'],
  [172_800_000, '2 days'],
  [-5, '0 s'],
])('%i ms last %s', (ms, words) => expect(duration(ms)).toBe(words));

test.each([
  [1, '1 s'],
  [59_000, '59 s'],
  [72_000, '1 min 12 s'],
  [245_000, '4 min'],
  [4_920_000, '1 h 22 min'],
  // The forecast time has come: the next tick decides.
  [0, 'a moment'],
  [-60_000, 'a moment'],
])('in %i ms is in %s', (ms, words) => expect(inTime(ms)).toBe(words));

test('counts are in the right number', () => {
  expect(plural(1, 'failure')).toBe('1 failure');
  expect(plural(1_200, 'failure')).toBe('1,200 failures');
  expect([1, 2, 3, 4, 11, 12, 21, 101].map(ordinal)).toEqual([
    ...['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '101st'],
  ]);
});

test('columns are narrow', () => {
  expect(brief(78 * 60_000)).toBe('1.3 h');
  expect(short(999)).toBe('999');
  expect(short(1_540)).toBe('1.5k');
  expect(short(15_400)).toBe('15k');
  expect(short(2_340_000)).toBe('2.3M');
  expect(dollars(3.456)).toBe('$3.46');
  expect(dollars(345.6)).toBe('$346');
});

test('what never was has no age', () => {
  expect(ago(null, 5)).toBe('never');
  expect(ago(4_000, 5_000)).toBe('now');
  expect(ago(1_000, 65_000)).toBe('1 min ago');
});
