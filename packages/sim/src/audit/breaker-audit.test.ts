import type { Acquired, BreakerAct, BreakerState, HolterEvent, Instant, Transition } from '@holter/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { BreakerAudit } from './breaker-audit.ts';

const AGENT = 'ada';
const second = 1_000;

/** What callers of one breaker might see, true or not: the watch has to tell. */
describe('the watch over breakers', () => {
  let accused: string[];
  let name: string;
  let watch: BreakerAudit;
  beforeEach(() => {
    name = 'external_api';
    accused = [];
    watch = new BreakerAudit((invariant, _agentId, _at, what) => accused.push(`${invariant} ${what}`));
  });

  function see(
    at: number,
    act: BreakerAct,
    permit?: Acquired,
    ...moves: [BreakerState, BreakerState][]
  ): void {
    const events = moves.map(
      ([from, to]): HolterEvent => ({
        at: at as Instant,
        incarnation: 1,
        type: 'CIRCUIT_BREAKER_STATE_CHANGED',
        payload: { agentId: AGENT, name, from, to },
      }),
    );
    const result = { events, effects: [], ...(permit !== undefined && { permit }) } as unknown as Transition;
    watch.folded(AGENT, at, { kind: 'breaker', name, act, roll: 0 }, result);
  }
  const acquire: BreakerAct = { kind: 'acquire' };
  const given = (generation: number, permitId: number): Acquired => ({
    kind: 'permit',
    generation,
    permitId,
  });
  const refused = (because: 'open' | 'half-open' | 'isolated'): Acquired => ({
    kind: 'refused',
    because,
    retryAt: 0 as Instant,
  });
  const report = (outcome: 'success' | 'failure', generation: number, permitId: number): BreakerAct => ({
    kind: 'report',
    report: { outcome, generation, permitId },
  });
  const trip = (at: number): void => {
    for (const failure of [1, 2, 3]) {
      see(at, acquire, given(0, 0));
      see(
        at,
        report('failure', 0, 0),
        undefined,
        ...(failure === 3 ? [['CLOSED', 'OPEN'] as [BreakerState, BreakerState]] : []),
      );
    }
  };

  test('has nothing against a breaker that trips, waits, tries once and closes', () => {
    trip(0);
    see(30 * second, acquire, refused('open'));
    see(61 * second, acquire, given(2, 1), ['OPEN', 'HALF_OPEN']);
    see(61 * second, acquire, refused('half-open'));
    see(62 * second, report('success', 2, 1), undefined, ['HALF_OPEN', 'CLOSED']);
    see(63 * second, acquire, given(3, 0));
    expect(accused).toEqual([]);
  });

  test('accuses one that lets somebody through while it is open, or is half open too soon', () => {
    trip(0);
    see(20 * second, acquire, given(1, 0));
    see(30 * second, acquire, given(2, 1), ['OPEN', 'HALF_OPEN']);
    expect(accused).toEqual([
      `10 ${name} let a call through while it is open`,
      `10 the breaker ${name} is half open before its time`,
    ]);
  });

  test('accuses one that gives two permits at a time, or keeps a lost one for ever', () => {
    trip(0);
    see(61 * second, acquire, given(2, 1), ['OPEN', 'HALF_OPEN']);
    see(70 * second, acquire, given(2, 2));
    see(200 * second, acquire, refused('half-open'));
    expect(accused).toEqual([
      `10 ${name} let a call through although 1 are out already`,
      `10 ${name} refused a call for permits that were lost long ago`,
    ]);
  });

  test('accuses one that listens to late reports, expired or of an earlier time', () => {
    see(0, acquire, given(0, 0));
    trip(0);
    see(61 * second, acquire, given(2, 1), ['OPEN', 'HALF_OPEN']);
    see(62 * second, report('success', 0, 0), undefined, ['HALF_OPEN', 'CLOSED']);
    expect(accused).toEqual([`10 ${name}: a success that came too late changed it`]);
  });

  test('accuses one that opens too early, or does not open', () => {
    see(0, acquire, given(0, 0));
    see(1, report('failure', 0, 0), undefined, ['CLOSED', 'OPEN']);
    expect(accused).toEqual([`10 ${name}: a failure with 1 bad of 1 opened it`]);
  });

  test('accuses one that opens by a share too early, or is closed by a slow trial call', () => {
    name = 'search';
    const slow = {
      kind: 'report' as const,
      report: { outcome: 'success' as const, generation: 0, permitId: 0, durationMs: (40 * second) as never },
    };
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      see(n, acquire, given(0, 0));
      see(n, slow, undefined, ...(n === 9 ? [['CLOSED', 'OPEN'] as [BreakerState, BreakerState]] : []));
    }
    see(61 * second, acquire, given(2, 1), ['OPEN', 'HALF_OPEN']);
    const trial = { ...slow, report: { ...slow.report, generation: 2, permitId: 1 } };
    see(101 * second, trial, undefined, ['HALF_OPEN', 'CLOSED']);
    expect(accused).toEqual([
      '10 search: a success with 9 bad of 9 opened it',
      '10 search: a success of a trial call left it CLOSED',
    ]);
  });

  test('accuses one that an operator can not hold open, or not let go', () => {
    see(0, { kind: 'isolate', by: 'olga', reason: 'down', forMs: (60 * second) as never });
    see(10 * second, acquire, given(0, 0));
    see(90 * second, acquire, refused('isolated'));
    expect(accused).toEqual([
      `10 ${name} let a call through while an operator holds it open`,
      `10 ${name} refused a call as isolated, though that is over`,
    ]);
  });
});
