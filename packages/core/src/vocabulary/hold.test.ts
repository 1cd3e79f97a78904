import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { instant, milliseconds, minutes, seconds } from '../base/time.ts';
import { HOLD_KINDS, type Hold, type HoldKind, heldUntil, NOTHING_HELD } from './hold.ts';

const hold = (kind: HoldKind, since: number): Hold => ({ kind, since: instant(since) });

describe('the stopwatches', () => {
  test.each<[string, readonly Hold[], number, number, number]>([
    ['nobody on hold', [], 0, 0, 0],
    ['one hold', [hold('asleep', 400)], 600, 600, 0],
    ['its own word', [{ ...hold('asleep', 400), isOwnWord: true }], 600, 600, 600],
    ['a tool is no excuse for checkpoints', [hold('in-tool', 400)], 600, 0, 600],
    ['two at once count once', [hold('asleep', 400), hold('rate-limited', 700)], 600, 600, 0],
    ['a tool before a hold', [hold('in-tool', 100), hold('asleep', 700)], 900, 300, 600],
  ])('%s', (_what, holds, anyMs, outsideToolMs, ownMs) => {
    const none = { ...NOTHING_HELD, ownMs: 0 };
    expect({ ...none, ...heldUntil(NOTHING_HELD, holds, instant(1_000)) }).toEqual({
      anyMs,
      outsideToolMs,
      ownMs,
    });
    const before = { anyMs: 50, outsideToolMs: 7, ownMs: 3 };
    expect(heldUntil(before, holds, instant(1_000))).toEqual({
      anyMs: anyMs + 50,
      outsideToolMs: outsideToolMs + 7,
      ownMs: ownMs + 3,
    });
  });
});

describe('every hold', () => {
  const start = (bench: Bench, kind: HoldKind): unknown =>
    kind === 'paused-by-operator'
      ? bench.feed({ kind: 'decision', decision: { decision: 'pause', by: 'olga', reason: 'lunch' } })
      : bench.signal({ kind: 'hold-begun', hold: kind });
  const stop = (bench: Bench, kind: HoldKind): unknown =>
    kind === 'paused-by-operator'
      ? bench.feed({ kind: 'decision', decision: { decision: 'resume', by: 'olga', reason: 'back' } })
      : bench.signal({ kind: 'hold-ended', hold: kind });
  const kindsFound = (bench: Bench): readonly string[] => bench.agent.hard.derived.map(({ kind }) => kind);

  test.each(HOLD_KINDS)('%s stops the silence clock', (kind) => {
    const bench = new Bench({
      promises: { calls: { modelTimeoutMs: milliseconds(0) }, tasks: true },
      taskId: 't1',
    });
    bench.signal({ kind: 'call-ended', callId: 'c', tool: 'Bash', isError: false });
    bench.advance(minutes(3));
    start(bench, kind);
    bench.advance(minutes(100));
    expect(kindsFound(bench)).toEqual([]);
    stop(bench, kind);
    bench.advance(minutes(1) - 1);
    expect(kindsFound(bench)).toEqual([]);
    bench.advance(1);
    expect(kindsFound(bench)).toEqual(['silent']);
  });

  test.each(HOLD_KINDS)('%s stops the checkpoint clock, unless it is in-tool', (kind) => {
    const bench = new Bench({ promises: { checkpoints: true, tasks: true }, taskId: 't1' });
    start(bench, kind);
    bench.advance(minutes(10));
    expect(kindsFound(bench)).toEqual(kind === 'in-tool' ? ['checkpoint-stale'] : []);
  });

  test.each(HOLD_KINDS)('%s has a maximum age, and only tells a person', (kind) => {
    const bench = new Bench({ promises: { tasks: true }, taskId: 't1' });
    start(bench, kind);
    const ageMsMax = bench.policy.holdMsMax[kind];
    bench.advance(ageMsMax - 1);
    expect(kindsFound(bench)).toEqual([]);
    const turns = bench.advance(1);
    expect(kindsFound(bench)).toEqual(['hold-overdue']);
    expect(turns.flatMap(({ effects }) => effects.map((effect) => effect.kind))).toEqual(['notify']);
    expect(bench.advance(ageMsMax).flatMap(({ effects }) => effects)).toEqual([]);
  });

  test('a hold with an end ends by itself, and one whose end has passed never begins', () => {
    const bench = new Bench({ promises: { tasks: true }, taskId: 't1' });
    bench.signal({ kind: 'hold-begun', hold: 'rate-limited', until: instant(bench.at + 5_000) });
    expect(bench.agent.hard.wakeAt).toBe(bench.at + 5_000);
    bench.advance(5_000);
    expect(bench.agent.hard.holds).toEqual([]);
    bench.signal({ kind: 'hold-begun', hold: 'rate-limited', until: instant(bench.at - 1) });
    expect(bench.agent.hard.holds).toEqual([]);
  });

  test('an end by a wrong clock is remembered until it acts; a total says nothing about now', () => {
    const bench = new Bench({ promises: { beatEveryMs: seconds(30), tasks: true }, taskId: 't1' });
    bench.signal({ kind: 'hold-begun', hold: 'rate-limited', until: instant(bench.at - 1) });
    bench.advance(seconds(40));
    bench.signal({ kind: 'heartbeat', tokenCount: 4_000, lastToolCall: instant(bench.at - 20_000) });
    bench.signal({ kind: 'tokens', total: 5_000, costUsd: 0.1 });
    expect(bench.agent.hard.isHoldLapsed).toBe(true);
    bench.signal({ kind: 'call-begun', callId: 'c1', tool: 'Bash', input: {} });
    expect(bench.agent.hard.isHoldLapsed).toBeUndefined();
  });

  test('a call that began before such a hold, and ends after it, says nothing about it', () => {
    const bench = new Bench({ promises: { beatEveryMs: seconds(30), tasks: true }, taskId: 't1' });
    bench.signal({ kind: 'call-begun', callId: 'c1', tool: 'Bash' });
    bench.signal({ kind: 'hold-begun', hold: 'rate-limited', until: instant(bench.at - 1) });
    bench.signal({ kind: 'call-ended', callId: 'c1', tool: 'Bash', isError: false });
    expect(bench.agent.hard.isHoldLapsed).toBe(true);
    bench.signal({ kind: 'call-ended', callId: 'c2', tool: 'Bash', isError: false });
    expect(bench.agent.hard.isHoldLapsed).toBeUndefined();
  });
});
