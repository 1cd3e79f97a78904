import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instant, seconds } from '../base/time.ts';
import {
  absenceDeadline,
  hasJustReturned,
  isStall,
  NO_STALLS,
  STALLS_MAX,
  type StallLog,
  withStall,
} from './stall.ts';

const at = (second: number) => instant(second * 1000);
const logOf = (...gaps: readonly (readonly [number, number])[]): StallLog =>
  gaps.reduce<StallLog>((log, [from, to]) => withStall(log, at(from), at(to)), NO_STALLS);
const deadlineOf = (start: number, wait: number, log: StallLog, graceMax = 60): number =>
  absenceDeadline(at(start), wait * 1000, log, seconds(graceMax)) / 1000;

test.each([
  [1_100, false],
  [2_000, false],
  [2_001, true],
])('a gap of %i ms is a stall: %s', (gap, expected) => expect(isStall(gap)).toBe(expected));

describe('a deadline of absence', () => {
  test.each<[string, number, number, StallLog, number, number]>([
    ['without stalls', 100, 60, NO_STALLS, 60, 160],
    ['a stall before it', 100, 60, logOf([50, 90]), 60, 160],
    ['a stall that ends as it begins', 100, 60, logOf([50, 100]), 60, 160],
    ['a stall that begins as it falls', 100, 60, logOf([160, 170]), 60, 160],
    ['a short gap: itself, and 10 s', 100, 60, logOf([110, 113]), 60, 173],
    ['a longer gap: itself, and twice itself', 100, 60, logOf([110, 130]), 60, 220],
    ['a suspension: itself, and one interval at most', 100, 60, logOf([110, 11_000]), 60, 11_110],
    ['a quick agent has a short grace', 100, 4, logOf([101, 111]), 2, 116],
    ['a gap from before counts from its start', 100, 60, logOf([90, 110]), 60, 210],
    ['a gap that only the moved deadline reaches', 100, 60, logOf([150, 160], [175, 185]), 60, 220],
    [
      'many gaps: all of them, but one interval of grace',
      0,
      100,
      logOf([10, 20], [30, 40], [50, 60]),
      30,
      160,
    ],
  ])('%s', (_what, start, wait, log, graceMax, expected) => {
    expect(deadlineOf(start, wait, log, graceMax)).toBe(expected);
  });

  test('a monitor with endless short stalls still detects a dead agent in time', () => {
    let log: StallLog = NO_STALLS;
    for (let hiccup = 0; hiccup < 360; hiccup++)
      log = withStall(log, at(hiccup * 10 + 7), at(hiccup * 10 + 9.1));
    const deadline = deadlineOf(0, 195, log);
    // 195 s and 60 s of grace, at 7.9 s of progress in every ten.
    expect(deadline).toBeGreaterThan(255 / 0.79 - 15);
    expect(deadline).toBeLessThan(255 / 0.79 + 15);
  });
});

describe('a stall that begins before the end of the log', () => {
  test.each<[string, StallLog, number]>([
    ['covers a late tick inside an outage', logOf([50, 60], [10, 70]), 60],
    ['goes on from what it overlaps', logOf([10, 40], [30, 70]), 60],
    ['adds nothing when it is known', logOf([10, 70], [20, 30]), 60],
    ['counts from its own beginning behind a gap', logOf([10, 20], [30, 70]), 50],
    ['is nothing when it ends before it begins', logOf([10, 70], [90, 80]), 60],
  ])('%s', (_what, log, lostSeconds) => {
    expect(log.reduce((sum, { lostMs }) => sum + lostMs, 0)).toBe(lostSeconds * 1_000);
  });

  test('never moves a deadline before start + wait', () => {
    const gap = fc.tuple(fc.nat(2_000), fc.nat(400));
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 120 }), fc.nat(2_000), fc.nat(900), (gaps, start, wait) => {
        const log = logOf(...gaps.map(([from, length]) => [from, from + length] as const));
        for (const [index, { from, to, lostMs }] of log.entries()) {
          expect(lostMs).toBeLessThanOrEqual(to - from);
          if (index > 0) expect(from).toBeGreaterThanOrEqual(log[index - 1]?.to ?? 0);
        }
        expect(deadlineOf(start, wait, log)).toBeGreaterThanOrEqual(start + wait);
      }),
    );
  });
});

describe('whether Holter has just resumed', () => {
  test.each<[string, number, StallLog, boolean]>([
    ['has never been away', 100, NO_STALLS, false],
    ['was away for an hour, a moment ago', 3_700, logOf([90, 3_690]), true],
    ['was away for an hour, one interval ago', 3_750, logOf([90, 3_690]), false],
    ['hiccups', 100, logOf([96.9, 99]), false],
    ['was away before it hiccuped', 100, logOf([40, 90], [96.9, 99]), true],
  ])('%s', (_what, now, log, expected) => {
    expect(hasJustReturned(log, at(now), seconds(60))).toBe(expected);
  });
});

describe('the log', () => {
  test('is bounded, and folding keeps the total of lost time', () => {
    let log: StallLog = NO_STALLS;
    for (let gap = 0; gap < 500; gap++) log = withStall(log, at(gap * 10), at(gap * 10 + 3));
    expect(log.length).toBe(STALLS_MAX);
    expect(log.reduce((sum, { lostMs }) => sum + lostMs, 0)).toBe(500 * 3_000);
    expect(log.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  });

  test('keeps the newest entries exact after hours of short stalls and a suspension', () => {
    const gaps: [number, number][] = [];
    for (let hiccup = 0; hiccup < 720; hiccup++) gaps.push([hiccup * 10 + 7, hiccup * 10 + 9.1]);
    gaps.push([7_207, 12_000]);
    for (let hiccup = 1_200; hiccup < 1_220; hiccup++) gaps.push([hiccup * 10 + 7, hiccup * 10 + 9.1]);
    const newest = logOf(...gaps.slice(-25));
    const deadline = deadlineOf(7_170, 195, logOf(...gaps), 30);
    expect(deadline).toBe(deadlineOf(7_170, 195, newest, 30));
    expect(deadline).toBeGreaterThan(12_000);
  });

  test('when folded, moves a current deadline by seconds only', () => {
    const quiet = fc.integer({ min: 60, max: 1_800 });
    const single = fc.tuple(quiet, fc.integer({ min: 3, max: 90 }), fc.constant(1));
    const suspension = fc.tuple(quiet, fc.integer({ min: 600, max: 7_200 }), fc.constant(1));
    const hiccups = fc.tuple(fc.constant(8), fc.constant(2.1), fc.integer({ min: 60, max: 250 }));
    const lid = fc.tuple(fc.constant(8), fc.integer({ min: 600, max: 3_000 }), fc.constant(1));
    // The worst case at the end: short stalls, a suspension, and short stalls again.
    const day = fc
      .tuple(fc.array(fc.oneof(single, suspension), { minLength: 20, maxLength: 30 }), hiccups, lid, hiccups)
      .map(([chapters, ...end]) => [...chapters, ...end]);
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 1_800 }), (chapters, ago) => {
        const gaps: [number, number][] = [];
        let now = 0;
        for (const [pause, length, times] of chapters) {
          now += pause;
          for (let time = 0; time < times; time++, now += length + 8) gaps.push([now, now + length]);
        }
        const exact: StallLog = gaps.map(([from, to]) => ({
          from: at(from),
          to: at(to),
          lostMs: seconds(to - from),
          count: 1,
        }));
        const log = logOf(...gaps);
        for (const wait of [195, 375, 975]) {
          const deadline = deadlineOf(now - ago, wait, exact, 300);
          // A deadline that fell long before the newest stall was judged when it fell.
          if (deadline < now - 300) continue;
          expect(Math.abs(deadlineOf(now - ago, wait, log, 300) - deadline)).toBeLessThan(15);
        }
      }),
      { seed: 1, endOnFailure: true },
    );
  });

  test('keeps its entries ordered and disjoint', () => {
    let log: StallLog = NO_STALLS;
    for (let gap = 0; gap < 100; gap++) log = withStall(log, at(gap * gap), at(gap * gap + 1));
    for (const [index, { from, to }] of log.entries()) {
      expect(to).toBeGreaterThan(from);
      if (index > 0) expect(from).toBeGreaterThanOrEqual(log[index - 1]?.to ?? 0);
    }
  });
});
