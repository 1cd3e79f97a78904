import { instant } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { BIN_MS, BINS, Pulse } from './pulse.ts';

const START = 1_000 * BIN_MS;
const at = (bins: number) => instant(START + bins * BIN_MS);
const codes = (pulse: Pulse, bins: number): number[] =>
  [...pulse.letters(at(bins))].map((letter) => letter.charCodeAt(0) - 0x30);

describe('the strip of one agent', () => {
  test('has a letter for each half minute, and none of them is older than an hour', () => {
    const pulse = new Pulse(at(0));
    pulse.stateIs('HEALTHY', at(0));
    pulse.beat(at(0));
    expect(codes(pulse, 0)).toHaveLength(BINS);
    expect(codes(pulse, 0).at(-1)).toBe(32 + 1);
    expect(codes(pulse, BINS - 1)[0]).toBe(32 + 1);
    // One more, and the beat has left the paper; the state goes on.
    expect(codes(pulse, BINS)[0]).toBe(32);
    expect(codes(pulse, 5 * BINS)).toEqual(Array(BINS).fill(32));
  });

  test('counts to three, marks errors, and shows the worst state of a half minute', () => {
    const pulse = new Pulse(at(0));
    for (let i = 0; i < 5; i += 1) pulse.call(at(0), i === 4);
    pulse.stateIs('FAILING', at(0));
    pulse.stateIs('HEALTHY', at(0));
    expect(codes(pulse, 0).at(-1)).toBe(4 * 32 + 16 + 3 * 4);
    // The next half minute begins with how things are now.
    expect(codes(pulse, 1).at(-1)).toBe(32);
    pulse.stateIs('TERMINATED', at(1));
    expect(codes(pulse, 1).at(-1)).toBe(5 * 32);
  });

  test('says nothing about the time before anybody looked, unless it was recalled', () => {
    const pulse = new Pulse(at(0));
    pulse.stateIs('HEALTHY', at(0));
    expect(codes(pulse, 0).slice(-3)).toEqual([0, 0, 32]);
    pulse.recall('STUCK', at(-2));
    pulse.recall('HEALTHY', at(-1));
    // The half minute in which it changed shows the worse of the two, as it would have if somebody had looked.
    expect(codes(pulse, 0).slice(-3)).toEqual([3 * 32, 3 * 32, 32]);
    // Older than the paper: only its end is on it.
    pulse.beat(at(-BINS));
    expect(codes(pulse, 0).every((code) => code % 32 === 0)).toBe(true);
  });

  test('is put together again from what was written down', () => {
    const [before, after] = [new Pulse(at(-1)), new Pulse(at(0))];
    before.beat(at(-1));
    before.call(at(-1), true);
    before.tokensAre(10, at(-1));
    before.tokensAre(40, at(-1));
    expect(before.countsAt(at(-1))).toEqual([1, 1, 1, 30]);
    expect(before.countsAt(at(-2))).toBeNull();
    after.beat(at(0));
    after.add([1, 1, 1, 30], at(-1));
    after.add([2, 0, 0, 0], at(0));
    after.add([9, 9, 9, 9], at(-BINS));
    expect(after.table(at(0))).toMatchObject({ beats: expect.arrayContaining([1, 3]) });
    expect(codes(after, 0).slice(-2)).toEqual([16 + 4 + 1, 3]);
    expect(codes(after, 0).slice(0, -2)).toEqual(Array(BINS - 2).fill(0));
  });

  test('leaves the half minutes of a monitoring gap blank, and only those', () => {
    const pulse = new Pulse(at(0));
    pulse.recall('HEALTHY', at(-5));
    pulse.blank(instant(at(-4) + 1), instant(at(-1) + 1));
    expect(codes(pulse, 0).slice(-6)).toEqual([32, 32, 0, 0, 32, 32]);
  });

  test('knows how fast tokens go, from what was added while it looked', () => {
    const pulse = new Pulse(at(0));
    pulse.tokensAre(1_000, at(0));
    pulse.tokensAre(6_000, at(1));
    // A new start counts from zero again, which takes nothing back.
    pulse.tokensAre(100, at(2));
    expect(pulse.tokensPerMinute(at(2))).toBe(1_000);
    expect(pulse.tokensPerMinute(at(20))).toBe(0);
    expect(pulse.table(at(2)).tokens.reduce((sum, count) => sum + count, 0)).toBe(5_000);
  });
});
