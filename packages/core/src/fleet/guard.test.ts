import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../test/kit.ts';
import { instant } from '../base/time.ts';
import { fleetDefaults } from '../policy/defaults.ts';
import type { Ask, AskKind } from '../vocabulary/ask.ts';
import { type Admitted, admit, BRAKES_MAX, emptyFleetGuard, type FleetGuard } from './guard.ts';

const policy = fleetDefaults;

class Group {
  fleet: FleetGuard = emptyFleetGuard;
  at = 1_000_000;
  private readonly size: number;
  private readonly name: string;

  constructor(size: number, name = 'default') {
    this.size = size;
    this.name = name;
  }

  ask(kind: AskKind, who: number | string = 'x', more: Partial<Ask> = {}): Admitted {
    const agentId = `agent-${who}`;
    const ask: Ask = {
      kind,
      agentId,
      group: this.name,
      effectId: `${agentId}/${kind}`,
      intervalMs: 60_000,
      hasKept: kind === 'loss',
      ...more,
    };
    const admitted = admit(deepFreeze(this.fleet), ask, {
      at: instant(this.at),
      groupSize: this.size,
      policy,
    });
    this.fleet = admitted.fleet;
    return admitted;
  }

  /** How many losses it takes until the alert goes out; 0 if it never does. */
  alertAfter(count: number, everyMs = 0): number {
    for (let lost = 1; lost <= count; lost++) {
      this.at += everyMs;
      if (this.ask('loss', lost).events.some(({ type }) => type === 'MASS_FAILURE')) return lost;
    }
    return 0;
  }
}

describe('the brake', () => {
  // More than 3, and more than a fifth of the group, within one beat interval.
  test.each([
    [3, 0],
    [4, 4],
    [10, 4],
    [15, 4],
    [20, 5],
    [100, 21],
    [1_000, 201],
    [10_000, 2_001],
  ])('a group of %i is a mass failure at loss %i', (size, expected) => {
    expect(new Group(size).alertAfter(size)).toBe(expected);
  });

  test('an alert never counts more losses than agents', () => {
    const group = new Group(2);
    const alerts = [1, 2, 3, 4].flatMap((who) => group.ask('loss', who).events);
    expect(alerts.map(({ payload }) => payload)).toEqual([{ group: 'default', lost: 4, size: 4 }]);
  });

  test('losses spread over time are no mass failure', () => {
    expect(new Group(10).alertAfter(10, 30_000)).toBe(0);
    expect(new Group(1_000).alertAfter(1_000, 1_000)).toBe(0);
  });

  test('one agent that crashes again and again is no mass failure', () => {
    const group = new Group(5);
    for (let crash = 0; crash < 50; crash++) expect(group.ask('loss', 1).events).toEqual([]);
  });

  test('the state stays small, however many agents are lost', () => {
    const group = new Group(10_000);
    group.alertAfter(10_000, 5);
    for (let lost = 0; lost < 5_000; lost++) group.ask('loss', `more-${lost}`);
    expect(JSON.stringify(group.fleet).length).toBeLessThan(8_000);
  });

  test('forgets groups whose losses are too old to count, and the oldest of too many', () => {
    const group = new Group(1);
    for (let n = 0; n < 600; n++) {
      group.at += 1_000;
      group.ask('loss', n, { group: `group-${n}` });
    }
    const kept = Object.keys(group.fleet.brakes);
    expect(kept).toHaveLength(BRAKES_MAX);
    expect(kept).toEqual(expect.arrayContaining(['group-599', `group-${600 - BRAKES_MAX}`]));
    group.at += 90 * 60_000;
    group.ask('loss', 'last', { group: 'last' });
    expect(Object.keys(group.fleet.brakes)).toEqual(['last']);
  });

  test('forgets an engaged brake last', () => {
    const group = new Group(10);
    group.alertAfter(4);
    for (let n = 0; n < 400; n++) group.ask('loss', n, { group: `group-${n}` });
    expect(Object.keys(group.fleet.brakes)).toHaveLength(BRAKES_MAX);
    expect(group.ask('terminate').admission.kind).toBe('deferred');
  });

  test('what is forgotten changes no decision, and the state stays bounded', () => {
    const step = fc.record({
      group: fc.nat({ max: 12 }).map((n) => `${n}`),
      who: fc.nat({ max: 9 }),
      kind: fc.constantFrom<AskKind>('loss', 'loss', 'loss', 'loss', 'terminate', 'notice'),
      afterMs: fc.oneof(
        { weight: 20, arbitrary: fc.nat({ max: 20_000 }) },
        fc.nat({ max: 5 * 60_000 }),
        fc.nat({ max: 4 * 3_600_000 }),
      ),
    });
    const decided = ({ admission, events }: Admitted) => ({
      because: admission.kind === 'deferred' ? admission.because : admission.kind,
      events,
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const all = new Group(9);
        // The twin has a guard for each group, and none of them sees the losses of another.
        const alone = new Map<string, Group>();
        for (const { group, who, kind, afterMs } of steps) {
          all.at += afterMs;
          const own = alone.get(group) ?? new Group(9);
          alone.set(group, own);
          own.at = all.at;
          const inAll = decided(all.ask(kind, who, { group }));
          const inOwn = decided(own.ask(kind, who, { group }));
          if (inAll.because !== 'budget' && inOwn.because !== 'budget') expect(inAll).toEqual(inOwn);
          expect(inAll.events).toEqual(inOwn.events);
          if (kind !== 'loss') continue;
          for (const { losses, engagedAt, spent } of Object.values(all.fleet.brakes)) {
            const isRecent = all.at - (losses.at(-1)?.at ?? 0) < 90 * 60_000;
            expect(isRecent || engagedAt !== undefined || spent !== undefined).toBe(true);
          }
        }
      }),
    );
  });

  test('defers terminations, starts and notices, not nudges, until 120 s after the mass failure', () => {
    const group = new Group(10);
    group.alertAfter(4);
    const until = group.at + 120_000;
    for (const kind of ['terminate', 'start', 'notice'] as const)
      expect(group.ask(kind).admission).toEqual({ kind: 'deferred', until, because: 'brake' });
    expect(group.ask('nudge').admission.kind).toBe('granted');
    group.at += 61_000;
    // Single losses are normal in a large group and must not keep the brake engaged.
    group.ask('loss', 'another');
    expect(group.ask('notice').admission).toMatchObject({ until });
  });

  test('admits one per 30 s afterwards, and is off when nothing waits', () => {
    const group = new Group(10);
    group.alertAfter(4);
    group.at += 120_000;
    const first = group.ask('notice', 1);
    expect(first.admission.kind).toBe('granted');
    expect(first.events.map(({ type }) => type)).toEqual(['MASS_FAILURE_OVER']);
    expect(group.ask('terminate', 2).admission).toMatchObject({ kind: 'deferred', until: group.at + 30_000 });
    // Starts have their own budget; one per 30 s would leave a large fleet down for hours.
    expect(group.ask('start', 3).admission.kind).toBe('granted');
    group.at += 30_000;
    expect(group.ask('terminate', 2).admission.kind).toBe('granted');
    group.at += 90_000;
    expect(group.ask('notice', 4).admission.kind).toBe('granted');
    expect(group.ask('notice', 5).admission.kind).toBe('granted');
  });

  test('alerts once per mass failure, and again for the next one', () => {
    const group = new Group(10);
    expect(group.alertAfter(10)).toBe(4);
    expect(group.alertAfter(10)).toBe(0);
    group.at += 3_600_000;
    expect(group.alertAfter(10)).toBe(4);
  });

  test('after the calm, a single loss does not engage it, and the next mass failure is reported', () => {
    const group = new Group(12);
    expect(group.alertAfter(5)).toBe(4);
    group.at += 130_000;
    expect(group.ask('loss', 'late').events.map(({ type }) => type)).toEqual(['MASS_FAILURE_OVER']);
    expect(group.ask('notice', 'late').admission.kind).toBe('granted');
    group.at += 1_000;
    expect(group.alertAfter(12)).toBe(3);
  });

  test('losses during the calm count for the next mass failure', () => {
    const group = new Group(12);
    expect(group.alertAfter(5)).toBe(4);
    group.at += 115_000;
    for (const lost of ['early-1', 'early-2']) group.ask('loss', lost);
    group.at += 10_000;
    expect(group.alertAfter(5)).toBe(2);
  });

  test('agents that have kept no promise yet are not counted', () => {
    const group = new Group(10);
    for (let lost = 0; lost < 50; lost++)
      expect(group.ask('loss', lost, { hasKept: false }).events).toEqual([]);
    expect(group.ask('notice').admission.kind).toBe('granted');
    expect(group.alertAfter(10)).toBe(4);
  });

  test('counts agents that were last heard together, though they are missed at different times', () => {
    const group = new Group(9);
    const signAt = instant(group.at);
    // Three are missed after 3, 15 and 75 minutes each, by the length of their intervals.
    const missed = [3, 15, 75].map((minutes, wave) => {
      group.at = signAt + minutes * 60_000;
      return [1, 2, 3].flatMap((who) => group.ask('loss', `${wave}-${who}`, { signAt }).events).length;
    });
    expect(missed).toEqual([0, 1, 1]);
  });

  test('holds no order of a person back', () => {
    const group = new Group(10);
    group.alertAfter(4);
    for (const kind of ['terminate', 'start', 'notice'] as const)
      expect(group.ask(kind, 'x', { isOrdered: true }).admission.kind).toBe('granted');
  });

  test('is engaged for half an hour at most; then a person is told, and acts go on one by one', () => {
    const group = new Group(10);
    expect(group.alertAfter(4)).toBe(4);
    const engagedAt = group.at;
    const told: Admitted['effects'][number][] = [];
    // The attack: four agents are lost anew every 50 s.
    const renew = (): Admitted['events'] =>
      [1, 2, 3, 4].flatMap((who) => {
        const { events, effects } = group.ask('loss', who);
        told.push(...effects);
        return events;
      });
    const events: Admitted['events'][number][] = [];
    while (group.ask('terminate').admission.kind === 'deferred' && group.at < engagedAt + 3 * 3_600_000) {
      group.at += 50_000;
      events.push(...renew());
    }
    expect(group.at - engagedAt).toBeLessThanOrEqual(31 * 60_000);
    expect(events.map(({ type, payload }) => [type, payload])).toEqual([
      ['MASS_FAILURE_OVER', { group: 'default', isSpent: true }],
    ]);
    expect(told).toMatchObject([{ kind: 'notify', severity: 'critical', audience: 'operator' }]);
    // From now on: five minutes of every hour, and one act every 30 s all the while.
    let grants = 0;
    let braked = 0;
    const from = group.at;
    for (; group.at < from + 24 * 3_600_000; group.at += 10_000) {
      if ((group.at - from) % 50_000 === 0) renew();
      if (group.ask('terminate').admission.kind === 'granted') grants += 1;
      if (group.fleet.brakes.default?.releaseAt === undefined) braked += 10_000;
    }
    expect(braked / (24 * 3_600_000)).toBeLessThan(0.1);
    expect(grants).toBeGreaterThan(0.8 * 24 * 120);
  });

  test('after an hour without a mass failure, it may be engaged for five minutes more', () => {
    const group = new Group(10);
    for (let round = 0; round < 37; round++) {
      group.alertAfter(4);
      group.at += 50_000;
    }
    group.at += 3_600_000;
    expect(group.alertAfter(4)).toBe(4);
    const { at } = group;
    while (group.ask('terminate').admission.kind === 'deferred') {
      group.at += 10_000;
      group.alertAfter(4);
    }
    expect(group.at - at).toBeLessThanOrEqual(6 * 60_000);
    expect(group.at - at).toBeGreaterThanOrEqual(4 * 60_000);
  });

  test('applies to each group separately, whatever its name', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const group = new Group(10, name);
      expect(group.ask('notice').admission.kind).toBe('granted');
      expect(group.alertAfter(10)).toBe(4);
      expect(group.ask('notice').admission.kind).toBe('deferred');
      const ask: Ask = {
        kind: 'notice',
        agentId: 'b',
        group: 'other',
        effectId: 'b/n',
        intervalMs: 60_000,
        hasKept: true,
      };
      expect(admit(group.fleet, ask, { at: instant(group.at), groupSize: 5, policy }).admission.kind).toBe(
        'granted',
      );
      expect(JSON.parse(JSON.stringify(group.fleet))).toEqual(group.fleet);
    }
  });
});

describe('budgets', () => {
  test.each([
    ['nudge', 60, 1_000],
    ['notice', 30, 2_000],
    ['start', 20, 3_000],
  ] as const)('%s: %i at once, then one per %i ms', (kind, burst, everyMs) => {
    const group = new Group(100);
    for (let count = 0; count < burst; count++) expect(group.ask(kind, count).admission.kind).toBe('granted');
    expect(group.ask(kind).admission).toEqual({
      kind: 'deferred',
      until: group.at + everyMs,
      because: 'budget',
    });
    group.at += everyMs;
    expect(group.ask(kind).admission.kind).toBe('granted');
    expect(group.ask(kind).admission.kind).toBe('deferred');
    group.at += 24 * 3_600_000;
    for (let count = 0; count < burst; count++) expect(group.ask(kind, count).admission.kind).toBe('granted');
    expect(group.ask(kind).admission.kind).toBe('deferred');
  });

  test('a flood in one group leaves every other group its share', () => {
    const group = new Group(200, 'noisy');
    for (let count = 0; count < 500; count++) group.ask('nudge', count, { hasKept: true });
    const share = (name: string, hasKept: boolean): number => {
      let granted = 0;
      while (group.ask('nudge', granted, { group: name, hasKept }).admission.kind === 'granted') granted += 1;
      return granted;
    };
    expect(['noisy', 'calm', 'other'].map((name) => share(name, true))).toEqual([0, 12, 12]);
    expect(share('of strangers', false)).toBe(0);
    group.at += 5_000;
    expect(group.ask('nudge', 1, { group: 'calm', hasKept: true }).admission.kind).toBe('granted');
  });

  test('shares of many groups stay a small row', () => {
    const group = new Group(10_000);
    for (let count = 0; count < 5_000; count++)
      group.ask('start', count, { group: `group-${count}`, hasKept: true });
    expect(JSON.stringify(group.fleet).length).toBeLessThan(32_000);
    group.at += 60_000;
    group.ask('start', 1, { group: 'one', hasKept: true });
    expect(Object.keys(group.fleet.budgets.shares)).toEqual(['one']);
  });

  test('terminations have no budget, only the brake', () => {
    const group = new Group(100);
    for (let count = 0; count < 500; count++)
      expect(group.ask('terminate', count).admission.kind).toBe('granted');
  });

  test('a clock that steps back refills nothing', () => {
    const group = new Group(100);
    for (let count = 0; count < 30; count++) group.ask('notice', count);
    group.at -= 60_000;
    expect(group.ask('notice').admission.kind).toBe('deferred');
  });
});
