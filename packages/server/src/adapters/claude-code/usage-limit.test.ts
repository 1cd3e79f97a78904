import { instant } from '@holter/core';
import { expect, test } from 'vitest';
import { limitResetOf } from './usage-limit.ts';

const NOW = instant(Date.UTC(2026, 10, 16, 6, 47, 13));

test.each([
  ["You've hit your session limit · resets 7:46am (UTC)", '2026-11-16T07:47:00.000Z'],
  ["You've hit your session limit · resets 6am (UTC)", '2026-11-17T06:01:00.000Z'],
  ["You've hit your limit · resets 8pm (Europe/Berlin)", '2026-11-16T19:01:00.000Z'],
  ["You've hit your weekly limit · resets Nov 20, 7am (UTC)", '2026-11-20T07:01:00.000Z'],
  ["You've hit your weekly limit · resets Jan 2 at 12am (UTC)", '2027-01-02T00:01:00.000Z'],
  [
    'API Error: Request rejected (429) · Claude AI usage limit reached|1794815206',
    '2026-11-16T07:47:46.000Z',
  ],
])('%s', (text, reset) => {
  expect(new Date(limitResetOf(text, NOW) ?? 0).toISOString()).toBe(reset);
});

test.each([
  ["I read: You've hit your session limit · resets 7:46am (UTC)"],
  ["You've hit your session limit · resets 7:46am (UTC)\nso I stop."],
  ["You've hit your session limit · resets 7:46am (Nowhere/Land)"],
  ['API Error: Request rejected (429) · Please try again later.'],
])('no reset: %s', (text) => {
  expect(limitResetOf(text, NOW)).toBeNull();
});
