import { expect, test } from 'vitest';
import { ago, brief, countdown, dollars, duration, short } from './words.ts';

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [3_660_000, '1 h 1 min'],
  [172_800_000, '2 d'],
  [-5, '0 s'],
])('%i ms last %s', (ms, words) => expect(duration(ms)).toBe(words));

test.each([
  [1, '0:01'],
  [245_000, '4:05'],
  [3_729_000, '1:02:09'],
  // The forecast time has come: the next tick decides.
  [0, 'a moment'],
  [-60_000, 'a moment'],
])('in %i ms is in %s', (ms, words) => expect(countdown(ms)).toBe(words));

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
