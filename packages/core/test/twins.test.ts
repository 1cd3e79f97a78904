import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DurationMs, instant, minutes, seconds } from '../src/base/time.ts';
import { intervalOf, missesAt } from '../src/record/liveness.ts';
import { HOLD_KINDS, type HoldKind, heldUntil } from '../src/vocabulary/hold.ts';
import { absenceDeadline, NO_STALLS, type Stall } from '../src/vocabulary/stall.ts';
import { Bench, policiesOf } from './kit.ts';

/** Compares each rule with a naive implementation that is obviously right, but too slow to use. */
describe('absenceDeadline', () => {
  type Gap = { readonly from: number; readonly length: number };
  const gaps: fc.Arbitrary<readonly Gap[]> = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 3, max: 120 })), { maxLength: 8 })
    .map((pairs) => {
      let at = 0;
      return pairs.map(([pause, length]) => {
        const from = at + pause;
        at = from + length;
        return { from, length };
      });
    });

  /** Walks second by second: a second in a gap does not count, and the first one of each gap adds its grace. */
  function naive(start: number, wait: number, all: readonly Gap[], graceMax: number): number {
    const graces = new Map(all.map((gap) => [Math.max(gap.from, start), Math.max(10, 2 * gap.length)]));
    let left = wait;
    let graceLeft = graceMax;
    for (let second = start; ; second++) {
      if (left === 0) return second;
      const gap = all.find(({ from, length }) => from <= second && second < from + length);
      if (gap && graces.has(second)) {
        const grace = Math.min(graceLeft, Math.min(graceMax, graces.get(second) ?? 0));
        left += grace;
        graceLeft -= grace;
      }
      if (!gap) left -= 1;
    }
  }

  test('agrees with a clock that walks second by second', () => {
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.integer({ min: 1, max: 400 }),
        gaps,
        fc.constantFrom(2, 30, 60, 300),
        (start, wait, all, graceMax) => {
          const log: Stall[] = all.map(({ from, length }) => ({
            from: instant(from * 1000),
            to: instant((from + length) * 1000),
            lostMs: seconds(length),
            count: 1,
          }));
          const deadline = absenceDeadline(instant(start * 1000), wait * 1000, log, seconds(graceMax));
          expect(deadline / 1000).toBe(naive(start, wait, all, graceMax));
        },
      ),
    );
  });
});

describe('hold stopwatches', () => {
  const change = fc.record({
    after: fc.nat(20),
    hold: fc.constantFrom(...HOLD_KINDS.filter((kind) => kind !== 'paused-by-operator')),
    begins: fc.boolean(),
    isSeen: fc.boolean(),
  });

  test('agree with counting the seconds on hold one by one', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), fc.nat(20), (changes, rest) => {
        const bench = new Bench();
        const open = new Map<HoldKind, 'seen' | 'own'>();
        let ownSeconds = 0;
        let anySeconds = 0;
        let outsideSeconds = 0;
        const isSeen = ([kind, how]: readonly [HoldKind, string]): boolean =>
          how === 'seen' && kind !== 'in-tool';
        const pass = (length: number): void => {
          for (let second = 0; second < length; second++) {
            if (open.size > 0) anySeconds += 1;
            if ([...open.keys()].some((kind) => kind !== 'in-tool')) outsideSeconds += 1;
            if (open.size > 0 && ![...open].some(isSeen)) ownSeconds += 1;
          }
          bench.advance(length * 1000);
        };
        for (const { after, hold, begins, isSeen } of changes) {
          pass(after);
          bench.signal({ kind: begins ? 'hold-begun' : 'hold-ended', hold }, isSeen ? 'holter' : 'agent');
          if (begins) open.set(hold, isSeen || open.get(hold) === 'seen' ? 'seen' : 'own');
          else open.delete(hold);
        }
        pass(rest);
        const { heldBefore, holds } = bench.agent.hard;
        const { ownMs = 0, ...held } = heldUntil(heldBefore, holds, bench.at);
        expect(held).toEqual({ anyMs: anySeconds * 1000, outsideToolMs: outsideSeconds * 1000 });
        expect(ownMs).toBe(ownSeconds * 1000);
      }),
    );
  });
});

describe('misses', () => {
  test('agree with counting intervals one by one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('active-development', 'critical-infrastructure', 'standby', 'in-process', 'default'),
        fc.constantFrom(seconds(2), seconds(30), seconds(60), seconds(900)),
        fc.boolean(),
        fc.nat(10_000),
        (role, beatEveryMs, isBusy, silentFor) => {
          const bench = new Bench({ role, promises: { beatEveryMs } });
          bench.signal({ kind: 'heartbeat', ...(isBusy && { status: 'busy' as const }) });
          const at = instant(bench.at + silentFor * 1000);
          const { missedMax } = bench.policy.beat;
          const slack = role === 'in-process' ? 0 : Math.min(60_000, Math.max(1_000, beatEveryMs / 4));
          let count = 0;
          for (let n = 1; n <= missedMax; n++) {
            const intervals = isBusy ? missedMax + n : n;
            if (silentFor * 1000 >= intervals * beatEveryMs + slack) count = n;
          }
          expect(missesAt(bench.agent, at, bench.policy, NO_STALLS).count).toBe(count);
          expect(intervalOf(bench.agent.hard, bench.policy)).toBe(beatEveryMs);
        },
      ),
    );
  });
});

describe('recovery limits', () => {
  const moves = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('crash' as const), after: fc.nat(30) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('task' as const), after: fc.nat(5) }) },
    ),
    { minLength: 5, maxLength: 25 },
  );
  const backoff: readonly DurationMs[] = [minutes(1), minutes(2), minutes(4)];

  /** Keeps every start ever made, and counts them one by one. */
  class Ledger {
    private readonly starts: { at: number; task: number }[] = [];
    task = 0;
    private forgivenBefore = 0;

    /** When the next start is due, or null if a person has to decide. */
    dueAfter(endedAt: number): number | null {
      const ofTask = this.starts.slice(this.forgivenBefore).filter(({ task }) => task === this.task).length;
      const ofHour = this.starts.filter(({ at }) => at > endedAt - 3_600_000).length;
      if (ofTask >= 3 || ofHour >= 5) return null;
      return endedAt + (backoff[Math.min(ofTask, 2)] ?? 0);
    }

    started(at: number): void {
      this.starts.push({ at, task: this.task });
    }

    forgive(): void {
      this.forgivenBefore = this.starts.length;
    }
  }

  test('agree with a ledger of every start', () => {
    fc.assert(
      fc.property(moves, (all) => {
        // The breaker for Holter's own starts is a separate limit with its own tests.
        const raw = {
          health_monitoring: {
            circuit_breaker: { overrides: { recovery_attempt: { failure_threshold: 1000 } } },
          },
        };
        const bench = new Bench({ promises: { tasks: true }, taskId: 'task-0' }, policiesOf(raw));
        const ledger = new Ledger();
        let instances = 1;
        const comeUp = (): void => {
          ledger.started(bench.at);
          instances += 1;
          bench.register({ instanceId: `i-${instances}`, spawnKey: bench.claimSpawn() });
        };
        for (const move of all) {
          bench.advance(move.after * 60_000);
          if (move.kind === 'task') {
            bench.signal({ kind: 'task-ended', taskId: `task-${ledger.task}`, outcome: 'done' });
            ledger.task += 1;
            bench.signal({ kind: 'task-assigned', taskId: `task-${ledger.task}` });
            continue;
          }
          const due = ledger.dueAfter(bench.at);
          bench.signal({ kind: 'exited', code: 1 }, 'holter');
          if (due === null) {
            expect(bench.agent.hard.incident?.step).toBe('human');
            const decision = { decision: 'recover' as const, by: 'olga', reason: 'looked' };
            const ordered = bench
              .feed({ kind: 'decision', decision })
              .effects.find(({ kind }) => kind === 'spawn');
            ledger.forgive();
            expect(ordered).toBeDefined();
            comeUp();
          } else {
            const spawnsBy = (ms: number) =>
              bench.advance(ms).flatMap(({ effects }) => effects.filter(({ kind }) => kind === 'spawn'));
            expect(spawnsBy(due - bench.at - 1)).toEqual([]);
            const [spawn] = spawnsBy(1);
            expect(bench.at).toBe(due);
            expect(spawn).toBeDefined();
            comeUp();
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
