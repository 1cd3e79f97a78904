import { expect, it } from 'vitest';
import { hours, inWords, milliseconds, minutes, seconds } from './time.ts';

it.each([
  [milliseconds(400), '400 ms'],
  [milliseconds(600), '1 s'],
  [seconds(119), '119 s'],
  [minutes(119), '119 min'],
  [minutes(200), '3 h 20 min'],
  [hours(47), '47 h'],
  [hours(72), '3 days'],
  [milliseconds(hours(7 * 24 + 2) + minutes(25)), '7 days 2 h'],
])('%i ms are %s', (duration, words) => {
  expect(inWords(duration)).toBe(words);
});
