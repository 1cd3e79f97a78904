import { describe, expect, it } from 'vitest';
import { type Instant, instant, later, minutes, seconds } from '../base/time.ts';
import { fullBudget, noteCrash, noteStart, noteUp, type StartBudget, startAllowedAt } from './budget.ts';

const T0 = instant(1_000_000_000);

/** Crashes and is started as soon as it may be, so often; returns the waits before each start. */
function crashLoop(times: number): { waits: number[]; budget: StartBudget; at: Instant } {
  let budget = fullBudget;
  let at = T0;
  const waits: number[] = [];
  for (let n = 0; n < times; n++) {
    budget = noteCrash(budget, at);
    const start = startAllowedAt(budget, at);
    waits.push(Math.max(0, start - at));
    at = start > at ? start : at;
    budget = noteStart(budget, at);
  }
  return { waits, budget, at };
}

describe('the budget of the chain', () => {
  it('starts at once after the first crash, then backs off from 30 s, doubling', () => {
    expect(crashLoop(4).waits).toEqual([0, seconds(30), seconds(60), seconds(120)]);
  });

  it('is latched by the fifth crash within 15 min, and probed every 30 min', () => {
    expect(crashLoop(8).waits.slice(4)).toEqual([minutes(30), minutes(30), minutes(30), minutes(30)]);
    expect(crashLoop(4).budget.latchedAt).toBeUndefined();
    const { budget } = crashLoop(5);
    expect(budget.latchedAt).toBe(T0 + seconds(30 + 60 + 120));
    expect(crashLoop(8).budget.latchedAt).toBe(budget.latchedAt);
  });

  it('never waits longer than 10 min without a latch', () => {
    const crashedAt = Array.from({ length: 30 }, (_, n) => later(T0, seconds(n)));
    const budget = { crashedAt, startedAt: later(T0, seconds(30)) };
    expect(startAllowedAt(budget, later(T0, seconds(31)))).toBe(T0 + seconds(30) + minutes(10));
  });

  it('is cleared by a start that stays up for 15 min', () => {
    const { budget, at } = crashLoop(6);
    expect(noteUp(budget, later(at, minutes(15) - 1))).toBe(budget);
    const cleared = noteUp(budget, later(at, minutes(15)));
    expect(cleared).toEqual({ crashedAt: [], startedAt: at });
    const crashed = noteCrash(cleared, later(at, minutes(16)));
    expect(startAllowedAt(crashed, later(at, minutes(16)))).toBe(at + minutes(16));
  });

  it('is cleared by a person who has started it', () => {
    const { latchedAt = T0, crashedAt } = crashLoop(5).budget;
    const budget = { latchedAt, crashedAt };
    expect(noteUp(budget, later(latchedAt, minutes(15))).latchedAt).toBeUndefined();
    expect(noteUp(budget, later(latchedAt, minutes(14)))).toBe(budget);
  });

  it('forgets crashes that are 15 min old', () => {
    let budget = fullBudget;
    for (let n = 0; n < 20; n++) {
      const at = later(T0, minutes(4 * n));
      budget = noteStart(noteCrash(budget, at), at);
    }
    expect(budget.latchedAt).toBeUndefined();
    expect(budget.crashedAt).toHaveLength(4);
  });
});
