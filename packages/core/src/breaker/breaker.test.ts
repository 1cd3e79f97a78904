import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Instant, instant, milliseconds, seconds } from '../base/time.ts';
import { acquire, type Breaker, closedBreaker, stateAt } from './breaker.ts';
import type { BreakerPolicy } from './breaker-policy.ts';
import { isolate, report, reset } from './breaker-report.ts';

const policy: BreakerPolicy = {
  mode: 'consecutive',
  failuresMax: 3,
  openMs: seconds(60),
  halfOpenPermits: 1,
  ratioMax: 0.5,
  volumeMin: 10,
  windowCalls: 20,
  slowMs: seconds(5),
  permitMs: seconds(30),
  openGrowth: 2,
  openMsMax: seconds(600),
  jitter: 0,
  whenStoreIsAway: 'pass',
};

/** One call through the breaker; a refused call changes nothing. */
function call(
  breaker: Breaker,
  at: number,
  outcome: 'success' | 'failure',
  rules = policy,
  durationMs = 0,
): Breaker {
  const asked = acquire(breaker, instant(at), rules);
  if (asked.answer.kind === 'refused') return asked.breaker;
  const { generation, permitId } = asked.answer;
  return report(
    asked.breaker,
    { generation, permitId, outcome, durationMs: milliseconds(durationMs) },
    instant(at),
    0,
    rules,
  );
}

const failing = (times: number, from: Breaker = closedBreaker, at = 0): Breaker => {
  let breaker = from;
  for (let n = 0; n < times; n++) breaker = call(breaker, at + n, 'failure');
  return breaker;
};

describe('a breaker', () => {
  test('trips at the third failure in a row, and then refuses', () => {
    expect(failing(2).state).toBe('CLOSED');
    const open = failing(3);
    expect(open.state).toBe('OPEN');
    expect(acquire(open, instant(10), policy).answer).toEqual({
      kind: 'refused',
      because: 'open',
      retryAt: 60_002,
    });
  });

  test('a success resets the count', () => {
    expect(failing(2, call(failing(2), 5, 'success')).state).toBe('CLOSED');
  });

  test('is half open when the break is over, without a timer', () => {
    const open = failing(3);
    expect(stateAt(open, instant(60_001))).toBe('OPEN');
    expect(stateAt(open, instant(60_002))).toBe('HALF_OPEN');
  });

  test('half open: one permit, whose success closes it and whose failure opens it for longer', () => {
    const first = acquire(failing(3), instant(60_002), policy);
    expect(first.answer.kind).toBe('permit');
    expect(acquire(first.breaker, instant(60_003), policy).answer).toMatchObject({
      kind: 'refused',
      because: 'half-open',
    });
    expect(call(failing(3), 60_002, 'success').state).toBe('CLOSED');
    const again = call(failing(3), 60_002, 'failure');
    expect(again).toMatchObject({ state: 'OPEN', openMs: 120_000, trips: 2 });
  });

  test('a permit that is never reported expires, and another caller may try', () => {
    const first = acquire(failing(3), instant(60_002), policy);
    expect(acquire(first.breaker, instant(90_002), policy).answer.kind).toBe('permit');
  });

  test('a late result of an older generation is dropped', () => {
    const early = acquire(closedBreaker, instant(0), policy);
    const open = failing(3);
    if (early.answer.kind !== 'permit') throw new Error('closed');
    const { generation, permitId } = early.answer;
    expect(report(open, { generation, permitId, outcome: 'success' }, instant(100), 0, policy)).toBe(open);
    const half = acquire(open, instant(60_002), policy).breaker;
    expect(report(half, { generation, permitId, outcome: 'success' }, instant(60_003), 0, policy).state).toBe(
      'HALF_OPEN',
    );
  });

  test('the roll varies the length of breaks', () => {
    const rules = { ...policy, jitter: 0.2 };
    const two = failing(2);
    const said = { generation: 0, permitId: 0, outcome: 'failure' } as const;
    expect(report(two, said, instant(9), 0, rules).openMs).toBe(60_000);
    expect(report(two, said, instant(9), 1, rules).openMs).toBe(72_000);
  });

  test('ratio and slow calls trip only with enough volume', () => {
    const ratio = { ...policy, mode: 'ratio' as const };
    let breaker = closedBreaker;
    for (let n = 0; n < 9; n++) breaker = call(breaker, n, 'failure', ratio);
    expect(breaker.state).toBe('CLOSED');
    expect(call(breaker, 9, 'failure', ratio).state).toBe('OPEN');
    const slow = { ...policy, mode: 'slow' as const };
    let sluggish = closedBreaker;
    for (let n = 0; n < 10; n++) sluggish = call(sluggish, n, 'success', slow, 6_000);
    expect(sluggish.state).toBe('OPEN');
  });

  test('a slow trial call opens only a breaker in slow mode again', () => {
    const slow = { ...policy, mode: 'slow' as const };
    let sluggish = closedBreaker;
    for (let n = 0; n < 10; n++) sluggish = call(sluggish, n, 'success', slow, 6_000);
    expect(call(sluggish, 61_000, 'success', slow, 6_000)).toMatchObject({ state: 'OPEN', trips: 2 });
    expect(call(sluggish, 61_000, 'success', slow, 4_000).state).toBe('CLOSED');
    expect(call(failing(3), 61_000, 'success', policy, 6_000).state).toBe('CLOSED');
  });

  test('isolated by an operator until a time; reset closes it', () => {
    const held = isolate(closedBreaker, { by: 'olga', reason: 'maintenance', until: instant(1_000) });
    expect(acquire(held, instant(1), policy).answer).toEqual({
      kind: 'refused',
      because: 'isolated',
      retryAt: 1_000,
    });
    expect(acquire(held, instant(1_000), policy).answer.kind).toBe('permit');
    expect(reset(failing(3)).state).toBe('CLOSED');
  });

  test('asking a closed breaker changes nothing', () => {
    expect(acquire(closedBreaker, instant(5), policy).breaker).toBe(closedBreaker);
    expect(call(closedBreaker, 5, 'success')).toBe(closedBreaker);
  });
});

type Move = {
  readonly wait: number;
  readonly outcome: 'success' | 'failure' | 'lost';
  readonly delay: number;
};

/** Invariant 10: never more permits than configured, whatever is lost, late or reordered; the state survives JSON. */
test('half open never has more permits out than configured, and a lost one expires', () => {
  const moves = fc.array(
    fc.record({
      wait: fc.integer({ min: 0, max: 40_000 }),
      outcome: fc.constantFrom<'success' | 'failure' | 'lost'>('success', 'failure', 'lost'),
      delay: fc.integer({ min: 0, max: 50_000 }),
    }) satisfies fc.Arbitrary<Move>,
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 3 }), (story, halfOpenPermits) => {
      const rules = { ...policy, halfOpenPermits };
      let breaker = closedBreaker;
      let at = 0;
      const pending: { at: number; generation: number; permitId: number; outcome: 'success' | 'failure' }[] =
        [];
      for (const { wait, outcome, delay } of story) {
        at += wait;
        for (const said of pending.filter((each) => each.at <= at)) {
          breaker = report(breaker, said, instant(said.at) as Instant, 0, rules);
          pending.splice(pending.indexOf(said), 1);
        }
        const asked = acquire(JSON.parse(JSON.stringify(breaker)) as Breaker, instant(at), rules);
        breaker = asked.breaker;
        const out = breaker.permits.filter(({ expiresAt }) => expiresAt > at).length;
        expect(out).toBeLessThanOrEqual(halfOpenPermits);
        if (asked.answer.kind === 'permit' && outcome !== 'lost') {
          const { generation, permitId } = asked.answer;
          pending.push({ at: at + delay, generation, permitId, outcome });
        }
      }
      // In every case a caller may try again an hour later.
      expect(acquire(breaker, instant(at + 3_600_000), rules).answer.kind).toBe('permit');
    }),
  );
});
