import { expect, it } from 'vitest';
import { nudgesInWords } from './nudges-in-words.ts';

it.each([
  [{ decided: 1, delivered: 0, newest: 'offered' }, '1 nudge, not read yet'],
  [{ decided: 3, delivered: 1, newest: 'offered' }, '3 nudges, the last one not read yet'],
  [{ decided: 2, delivered: 2, newest: 'ignored' }, '2 nudges, the last one read and ignored'],
  [{ decided: 1, delivered: 0, newest: 'lost' }, '1 nudge, not delivered'],
] as const)('%j is said as "%s"', (nudges, words) => {
  expect(nudgesInWords(nudges)).toBe(words);
});
