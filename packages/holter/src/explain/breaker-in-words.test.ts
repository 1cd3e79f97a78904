import { instant } from '@holter/core';
import type { BreakerView } from '@holter/server/local';
import { expect, test } from 'vitest';
import { breakerInWords } from './breaker-in-words.ts';

const closed: BreakerView = {
  agentId: 'ada',
  name: 'external_api',
  state: 'CLOSED',
  failures: 0,
  trips: 0,
  openedAt: null,
  retryAt: null,
  permits: 0,
  isolation: null,
};
const now = instant(1_000_000);

test.each<[string, Partial<BreakerView>]>([
  ['external_api CLOSED', {}],
  ['external_api CLOSED, 2 failed in a row', { failures: 2 }],
  [
    'external_api OPEN, tripped 3 times in a row, next try in 4 min',
    { state: 'OPEN', trips: 3, openedAt: 900_000, retryAt: 1_240_000 },
  ],
  [
    'external_api OPEN, held open by olga: it is down, next try in 60 s',
    {
      state: 'OPEN',
      retryAt: 1_060_000,
      isolation: { by: 'olga', reason: 'it is down', until: 1_060_000 },
    },
  ],
])('%s', (words, fields) => {
  expect(breakerInWords({ ...closed, ...fields }, now)).toBe(words);
});
