import { expect, it } from 'vitest';
import { nextQuiet, type QuietScreen } from './quiet-screen.ts';

const busy = { isBusy: true, hasMoved: false };

/** Looks at these moments, each with what was seen. */
const after = (...looks: readonly Parameters<typeof nextQuiet>[1][]): QuietScreen | null =>
  looks.reduce<QuietScreen | null>((before, look) => nextQuiet(before, look), null);

it('an agent that works and shows nothing new is quiet since the first look', () => {
  expect(after({ ...busy, now: 0 }, { ...busy, now: 2_000 }, { ...busy, now: 4_000 })).toEqual({
    since: 0,
    lookedAt: 4_000,
  });
});

it.each([
  ['text or a child at work', [{ ...busy, now: 2_000, hasMoved: true }]],
  [
    'a pause in its work',
    [
      { now: 1_000, isBusy: false, hasMoved: false },
      { ...busy, now: 2_000 },
    ],
  ],
])('it begins again after %s', (_what, looks) => {
  expect(after({ ...busy, now: 0 }, ...looks)?.since).toBe(2_000);
});

it.each([
  ['a suspended machine', 600_000],
  ['a clock that was set back', -600_000],
])('time in which nobody looked does not count: %s', (_what, now) => {
  expect(after({ ...busy, now: 0 }, { ...busy, now })?.since).toBe(now);
});
