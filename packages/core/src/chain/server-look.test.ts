import { describe, expect, it } from 'vitest';
import { instant, minutes, seconds } from '../base/time.ts';
import { type LinkLook, stillnessOf } from './server-look.ts';

const look = (more: Partial<LinkLook> = {}): LinkLook => ({
  at: instant(1_000_000),
  process: 'boot-1.77.5000',
  state: 'running',
  cpuMs: 400,
  tick: null,
  ...more,
});
const next = (more: Partial<LinkLook> = {}): LinkLook => look({ at: instant(1_180_000), ...more });
const gap = { msMin: seconds(90), msMax: minutes(5) };
const still = (before: LinkLook | null, now: LinkLook) => stillnessOf(before, now, gap) !== null;

describe('a link that stands still', () => {
  it('has neither ticked nor used CPU time from one look to the next', () => {
    expect(stillnessOf(look(), next(), gap)).toEqual({
      since: 1_000_000,
      reported: 'it has not answered for 3 min',
      seen: 'its process has used no CPU time for 3 min',
    });
    expect(stillnessOf(look({ tick: 7 }), next({ tick: 7, state: 'stopped' }), gap)).toMatchObject({
      reported: 'its own tick has not moved for 3 min',
      seen: 'its process is stopped (SIGSTOP) and has used no CPU time for 3 min',
    });
  });

  it.each<[string, LinkLook | null, LinkLook]>([
    ['there is only one look', null, next()],
    ['it used CPU time', look(), next({ cpuMs: 410 })],
    ['its tick moved', look({ tick: 7 }), next({ tick: 8 })],
    ['it answered again', look(), next({ tick: 7 })],
    ['it is another process', look(), next({ process: 'boot-1.77.6000' })],
    ['no process is known', look({ process: null }), next({ process: null })],
    ['its CPU time is not known', look({ cpuMs: null }), next({ cpuMs: null })],
    ['it is gone', look(), next({ state: 'gone' })],
    ['the look failed', look(), next({ state: 'unknown' })],
    ['the looks are too far apart: the daemon did not look either', look(), look({ at: instant(1_300_001) })],
    ['the looks are too close to each other', look(), look({ at: instant(1_000_000 + seconds(89)) })],
  ])('is not one of which %s', (_, before, now) => {
    expect(still(before, now)).toBe(false);
  });
});
