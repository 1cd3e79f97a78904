import { describe, expect, test } from 'vitest';
import { Bench, policiesOf } from '../../test/kit.ts';
import { hours, instant } from '../base/time.ts';
import type { Registration } from '../transition/enroll.ts';

const spend = (bench: Bench, total: number, costUsd: number) =>
  bench.signal({ kind: 'tokens', total, costUsd });
const found = (bench: Bench) => bench.agent.hard.derived.find(({ kind }) => kind === 'budget');

const benchWith = (budgets: object, fields: Partial<Registration> = {}): Bench =>
  new Bench(fields, policiesOf({ budgets }));

describe('a budget', () => {
  test('warns at its share and acts at its end, in dollars', () => {
    const bench = benchWith({ run: { usd: 5 } });
    spend(bench, 100, 3.99);
    expect(found(bench)).toBeUndefined();
    spend(bench, 200, 4);
    expect(found(bench)).toMatchObject({ severity: 'warn', evidence: 'this run has spent $4.00 of $5.00' });
    expect(bench.agent.hard.incident).toBeUndefined();
    spend(bench, 300, 5);
    expect(found(bench)).toMatchObject({ severity: 'act' });
    expect(bench.agent.hard.incident).toMatchObject({ cause: 'budget', step: 'escalate' });
    expect(bench.agent.hard.health).toBe('DEGRADED');
  });

  test('in tokens counts those without a price', () => {
    const bench = benchWith({ run: { tokens: 20_000, warn_at: 0.5 } });
    bench.signal({ kind: 'heartbeat', tokenCount: 12_345 });
    expect(found(bench)).toMatchObject({
      severity: 'warn',
      evidence: 'this run has spent 12 k of 20 k tokens',
    });
  });

  test.each([
    ['warn', 'act', 'nudge,terminate,spawn', undefined],
    ['nudge', 'act', 'nudge,terminate,spawn', 'nudge'],
    ['nudge', 'act', 'terminate', 'escalate'],
    ['escalate', 'act', 'nudge,terminate,spawn', 'escalate'],
    ['stop', 'act', 'nudge,terminate,spawn', 'terminate'],
    ['stop', 'act', 'nudge', 'escalate'],
    ['stop', 'nudge', 'nudge,terminate,spawn', 'escalate'],
    ['stop', 'observe', 'nudge,terminate,spawn', 'escalate'],
  ] as const)('at_limit %s in mode %s, can %s: %s', (atLimit, mode, can, step) => {
    const bench = benchWith({ run: { usd: 1, at_limit: atLimit } }, { mode, can: can.split(',') as never });
    spend(bench, 10, 1);
    expect(bench.agent.hard.incident?.step).toBe(step);
    expect(found(bench)?.severity).toBe(atLimit === 'warn' ? 'warn' : 'act');
  });

  test('that stops an agent does not bring it back', () => {
    const bench = benchWith({ run: { usd: 1, at_limit: 'stop' } });
    spend(bench, 10, 2);
    expect(bench.agent.hard.incident?.order).toMatchObject({ source: 'policy', afterwards: 'stop' });
  });

  test('of a task counts its restarts, and ends with it', () => {
    const bench = benchWith({ task: { usd: 2 } });
    bench.signal({ kind: 'task-assigned', taskId: 'T-1' });
    spend(bench, 10, 1);
    bench.signal({ kind: 'exited', code: 0 }, 'holter');
    bench.register({ instanceId: 'ada-2' });
    spend(bench, 10, 1);
    expect(found(bench)).toMatchObject({
      severity: 'act',
      evidence: 'its task T-1 has taken $2.00 of $2.00',
    });
    bench.signal({ kind: 'task-ended', taskId: 'T-1', outcome: 'done' });
    expect(found(bench)).toBeUndefined();
  });

  test('of an agent counts what is on the books today', () => {
    const bench = benchWith({ agent: { usd: 10 } });
    const today = { ...bench.money.today, agent: { tokens: 0, costMicros: 7_500_000 } };
    bench.money = { ...bench.money, today };
    spend(bench, 10, 0.5);
    expect(found(bench)).toMatchObject({ severity: 'warn', evidence: 'it has spent $8.00 of $10.00 today' });
  });

  test.each([
    ['group', 'its group default has spent $9.50 of $10.00 today'],
    ['day', 'all agents together have spent $9.50 of $10.00 today'],
  ] as const)('of a %s is held against those that spend, not against those that wait', (scope, evidence) => {
    const bench = benchWith({ [scope]: { usd: 10 } });
    bench.money = {
      ...bench.money,
      today: { ...bench.money.today, [scope]: { tokens: 0, costMicros: 9e6 } },
    };
    bench.signal({ kind: 'heartbeat' });
    expect(found(bench)).toBeUndefined();
    spend(bench, 10, 0.5);
    expect(found(bench)).toMatchObject({ severity: 'warn', evidence });
  });

  test('of a day is over with the day, by itself', () => {
    const bench = benchWith({ agent: { usd: 1 } });
    bench.at = instant(Date.UTC(2026, 10, 16, 23));
    spend(bench, 10, 2);
    expect(found(bench)).toMatchObject({ severity: 'act' });
    expect(bench.agent.hard.wakeAt).toBeLessThanOrEqual(Date.UTC(2026, 10, 17));
    bench.advance(hours(1));
    expect(found(bench)).toBeUndefined();
  });

  test('of the gravest step leads where several are used up', () => {
    const bench = benchWith({ run: { usd: 1, at_limit: 'nudge' }, task: { usd: 1, at_limit: 'stop' } });
    bench.signal({ kind: 'task-assigned', taskId: 'T-1' });
    spend(bench, 10, 50);
    expect(found(bench)?.evidence).toBe('its task T-1 has taken $50.00 of $1.00');
  });
});
