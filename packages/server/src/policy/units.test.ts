import { milliseconds } from '@holter/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBytes, parseDuration, showBytes, showDuration } from './units.ts';

test.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['1.5s', 1_500],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['2 h', 7_200_000],
])('%s is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  '5',
  'm',
  '5 minutes',
  '-5s',
  '1h30m',
  '5M',
  '1e3s',
  '5s ',
  '٥s',
  '2GB',
  `${'9'.repeat(400)}s`,
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([
  ['512MB', 512_000_000],
  ['2GB', 2_000_000_000],
  ['2GiB', 2_147_483_648],
  ['1.5KB', 1_500],
  ['7B', 7],
])('%s is %i bytes', (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes);
});

test.each(['2gb', '2G', '5m', 'GB', '-1MB'])('%j is no size', (text) => {
  expect(parseBytes(text)).toBeUndefined();
});

test('what is shown reads back as the same', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e12 }), (n) => {
      expect(parseDuration(showDuration(milliseconds(n)))).toBe(n);
      expect(parseBytes(showBytes(n))).toBe(n);
    }),
  );
});
