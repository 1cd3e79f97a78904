import { describe, expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { graceShare } from './grace.ts';
import { NO_STALLS, type StallLog, withStall } from './stall.ts';

const HOUR = 3_600_000;
const s = (count: number) => instant(count * 1_000);
const share = (log: StallLog): number => graceShare(log, s(0), instant(HOUR));

describe('the share of an hour in grace', () => {
  test('is 0 without stalls', () => {
    expect(share(NO_STALLS)).toBe(0);
    // This stall and its grace end before the hour begins.
    expect(share(withStall(NO_STALLS, s(-100), s(-90)))).toBe(0);
  });

  test('counts each gap and its grace', () => {
    // 3 s with 10 s of grace, and 100 s with 60 s of grace.
    expect(share(withStall(NO_STALLS, s(0), s(3)))).toBeCloseTo(13 / 3_600);
    expect(share(withStall(NO_STALLS, s(100), s(200)))).toBeCloseTo(160 / 3_600);
    // The second begins in the grace of the first: overlapping time is counted once.
    const twice = withStall(withStall(NO_STALLS, s(100), s(103)), s(108), s(111));
    expect(share(twice)).toBeCloseTo((121 - 100) / 3_600);
  });

  test('clips gaps at the edges of the hour', () => {
    expect(share(withStall(NO_STALLS, s(-50), s(50)))).toBeCloseTo(110 / 3_600);
    expect(share(withStall(NO_STALLS, s(3_599), s(3_602)))).toBeCloseTo(1 / 3_600);
    expect(share(withStall(NO_STALLS, s(-9), s(9_999)))).toBe(1);
  });

  test('with a short stall every ten seconds all time is in grace, however the log is folded', () => {
    let log = NO_STALLS;
    for (let at = 0; at < 3_600; at += 10) log = withStall(log, s(at), s(at + 3));
    expect(share(log)).toBeGreaterThan(0.95);
    let calm = NO_STALLS;
    for (let at = 0; at < 3_600; at += 60) calm = withStall(calm, s(at), s(at + 3));
    expect(share(calm)).toBeCloseTo(13 / 60, 1);
  });
});
