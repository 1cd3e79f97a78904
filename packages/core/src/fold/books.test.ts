import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { checkSignal } from '../signal/check.ts';
import type { ModelPrice, ModelUse, Spending } from '../vocabulary/spending.ts';

const price = (model: string, input: number, output: number): ModelPrice => ({
  model,
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 1.25,
  cacheWriteHour: input * 2,
});
const prices = [price('big-1', 5, 25), price('small-1', 1, 5), price('local-*', 0, 0)];

function benchWith(fields: ConstructorParameters<typeof Bench>[0] = {}): Bench {
  const bench = new Bench(fields);
  bench.money = { ...bench.money, prices };
  return bench;
}

function sums(rows: readonly Spending[], by: 'model' | 'taskId' = 'model') {
  const byKey: Record<string, Pick<Spending, 'tokens' | 'costMicros' | 'unpricedTokens'>> = {};
  for (const row of rows) {
    const before = byKey[String(row[by])] ?? { tokens: 0, costMicros: 0, unpricedTokens: 0 };
    byKey[String(row[by])] = {
      tokens: before.tokens + row.tokens,
      costMicros: before.costMicros + row.costMicros,
      unpricedTokens: before.unpricedTokens + row.unpricedTokens,
    };
  }
  return byKey;
}

const tokens = (bench: Bench, total: number, models: readonly ModelUse[], costUsd?: number) =>
  bench.signal({ kind: 'tokens', total, models, ...(costUsd !== undefined && { costUsd }) });

describe('prices', () => {
  test('each kind of token has its own, and a dated name has the price of its model', () => {
    const bench = benchWith();
    const use = { input: 1_000, output: 100, cacheRead: 10_000, cacheWrite: 400, cacheWriteHour: 200 };
    tokens(bench, 11_700, [{ model: 'big-1-20260101', ...use }]);
    expect(sums(bench.books)).toEqual({
      'big-1-20260101': {
        tokens: 11_700,
        costMicros: 5_000 + 2_500 + 5_000 + 2_500 + 2_000,
        unpricedTokens: 0,
      },
    });
    expect(bench.agent.soft.costUsd).toBe(0.017);
  });

  test('a model without a price costs an unknown amount, never nothing', () => {
    const bench = benchWith();
    tokens(bench, 1_000, [
      { model: 'big-1-5', input: 600 },
      { model: 'big-1', input: 400 },
    ]);
    expect(sums(bench.books)).toEqual({
      'big-1-5': { tokens: 600, costMicros: 0, unpricedTokens: 600 },
      'big-1': { tokens: 400, costMicros: 2_000, unpricedTokens: 0 },
    });
  });

  test('a price of zero is a price', () => {
    const bench = benchWith();
    tokens(bench, 1_000, [{ model: 'local-llama', input: 1_000 }]);
    expect(sums(bench.books)).toEqual({ 'local-llama': { tokens: 1_000, costMicros: 0, unpricedTokens: 0 } });
  });

  test('a cost that the agent reports comes before a price, and is marked', () => {
    const bench = benchWith();
    tokens(bench, 1_000, [{ model: 'big-1', input: 1_000, costUsd: 0.07 }]);
    expect(bench.books).toMatchObject([{ costMicros: 70_000, reportedMicros: 70_000, unpricedTokens: 0 }]);
  });

  test('a cost that is reported for all models is divided by their prices, or else by their tokens', () => {
    const known = benchWith();
    tokens(
      known,
      2_000,
      [
        { model: 'big-1', input: 1_000 },
        { model: 'small-1', input: 1_000 },
      ],
      0.6,
    );
    expect(sums(known.books)).toMatchObject({
      'big-1': { costMicros: 500_000 },
      'small-1': { costMicros: 100_000 },
    });
    const unknown = benchWith();
    tokens(
      unknown,
      2_000,
      [
        { model: 'big-1', input: 1_000 },
        { model: 'new', input: 1_000 },
      ],
      0.6,
    );
    expect(sums(unknown.books)).toMatchObject({
      'big-1': { costMicros: 300_000 },
      new: { costMicros: 300_000 },
    });
  });
});

describe('booking', () => {
  test('totals that come with beats are booked every half minute, for no known model', () => {
    const bench = benchWith();
    for (let beat = 1; beat <= 7; beat++) {
      bench.signal({ kind: 'heartbeat', tokenCount: beat * 100 });
      bench.advance(10_000);
    }
    expect(bench.books.map(({ tokens: added }) => added)).toEqual([100, 300, 300]);
    expect(sums(bench.books)).toEqual({ '': { tokens: 700, costMicros: 0, unpricedTokens: 700 } });
  });

  test('what was not booked yet is booked at the end, and when a successor starts', () => {
    const ended = benchWith();
    ended.signal({ kind: 'heartbeat', tokenCount: 100 });
    ended.signal({ kind: 'heartbeat', tokenCount: 130 });
    ended.signal({ kind: 'exited', code: 0 }, 'holter');
    expect(sums(ended.books)).toMatchObject({ '': { tokens: 130 } });
    const replaced = benchWith();
    replaced.signal({ kind: 'heartbeat', tokenCount: 100 });
    replaced.signal({ kind: 'heartbeat', tokenCount: 130 });
    replaced.advance(600_000);
    expect(replaced.register({ instanceId: 'ada-2' })).toBe(true);
    replaced.signal({ kind: 'heartbeat', tokenCount: 5 });
    expect(sums(replaced.books)).toMatchObject({ '': { tokens: 135 } });
  });

  test('the last tokens may be read after the end, and bring nothing back to life', () => {
    const bench = benchWith();
    tokens(bench, 100, [{ model: 'big-1', input: 100 }]);
    bench.signal({ kind: 'exited', code: 0 }, 'holter');
    const { health, doing } = bench.agent.hard;
    tokens(bench, 150, [{ model: 'big-1', input: 150 }]);
    bench.signal({ kind: 'tokens', total: 160 });
    expect(sums(bench.books)).toMatchObject({ 'big-1': { tokens: 150 }, '': { tokens: 10 } });
    expect(bench.agent.hard).toMatchObject({ health, end: { how: 'exit-0' } });
    expect(bench.agent.hard.doing).toEqual(doing);
  });

  test('tokens belong to the task that was open when they were used', () => {
    const bench = benchWith();
    bench.signal({ kind: 'task-assigned', taskId: 'T-1' });
    tokens(bench, 100, [{ model: 'big-1', input: 100 }]);
    bench.signal({ kind: 'heartbeat', tokenCount: 140 });
    bench.signal({ kind: 'task-ended', taskId: 'T-1', outcome: 'done' });
    bench.signal({ kind: 'task-assigned', taskId: 'T-2' });
    tokens(bench, 200, [{ model: 'big-1', input: 160 }]);
    expect(sums(bench.books, 'taskId')).toMatchObject({ 'T-1': { tokens: 140 }, 'T-2': { tokens: 60 } });
    expect(bench.agent.hard.spent?.task).toMatchObject({ id: 'T-2', tokens: 60 });
  });

  test('what is on the books is what was reported, in any order and however often', () => {
    const report = fc.record({
      model: fc.constantFrom('big-1', 'small-1', 'new'),
      input: fc.nat(1_000),
      output: fc.nat(1_000),
      waitMs: fc.nat(60_000),
      how: fc.constantFrom('models', 'beat', 'again', 'older', 'new start'),
    });
    fc.assert(
      fc.property(fc.array(report, { maxLength: 40 }), (reports) => {
        const bench = benchWith();
        const models = new Map<string, ModelUse>();
        let total = 0;
        let before = 0;
        for (const { model, input, output, waitMs, how } of reports) {
          bench.advance(waitMs);
          if (how === 'new start') {
            bench.signal({ kind: 'exited', code: 0 }, 'holter');
            bench.register({ instanceId: `ada-${bench.agent.hard.incarnation + 1}` });
            before += total;
            models.clear();
            total = 0;
            continue;
          }
          if (how !== 'again' && how !== 'older') {
            const known = models.get(model);
            total += input + output;
            models.set(model, {
              model,
              input: (known?.input ?? 0) + input,
              output: (known?.output ?? 0) + output,
            });
          }
          if (how === 'beat') bench.signal({ kind: 'heartbeat', tokenCount: total });
          else if (how === 'older') tokens(bench, Math.floor(total / 2), [{ model, input: 0 }]);
          else tokens(bench, total, [...models.values()]);
        }
        tokens(bench, total, [...models.values()]);
        bench.signal({ kind: 'exited', code: 0 }, 'holter');
        const booked = bench.books.reduce((sum, row) => sum + row.tokens, 0);
        expect(booked).toBe(before + total);
        expect(bench.books.reduce((sum, row) => sum + row.reportedMicros, 0)).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

describe('an agent that lies', () => {
  const signal = (fields: object) =>
    checkSignal({ kind: 'tokens', agentId: 'ada', total: 1, ...fields }).kind;

  test.each([
    ['more than a number holds', { total: 1e308 }],
    ['negative tokens', { models: [{ model: 'm', input: -1 }] }],
    ['half a token', { models: [{ model: 'm', input: 0.5 }] }],
    ['a negative cost', { models: [{ model: 'm', costUsd: -1 }] }],
    ['a name of 10 MB', { models: [{ model: 'm'.repeat(10_000_000) }] }],
    ['a name with control characters', { models: [{ model: 'a\u001b[2J' }] }],
    ['17 models at once', { models: Array.from({ length: 17 }, (_, n) => ({ model: `m${n}` })) }],
    ['another field', { models: [{ model: 'm', price: 0 }] }],
  ])('is refused %s', (_what, fields) => {
    expect(signal(fields)).toBe('bad-signal');
  });

  test('can name 10,000 models, and the record stays small', () => {
    const bench = benchWith();
    for (let n = 0; n < 10_000; n++) tokens(bench, n, [{ model: `model ${n}`, input: 1_000 }]);
    expect(new Set(bench.books.map(({ model }) => model)).size).toBeLessThanOrEqual(8);
    expect(JSON.stringify(bench.agent.hard.spent).length).toBeLessThan(1_000);
  });

  test('is not believed more than a trillion tokens and a billion dollars', () => {
    const bench = benchWith();
    tokens(bench, Number.MAX_SAFE_INTEGER, [{ model: 'x', input: Number.MAX_SAFE_INTEGER, costUsd: 9e15 }]);
    expect(bench.books).toMatchObject([{ tokens: 1e12, costMicros: 1e15 }]);
  });
});
