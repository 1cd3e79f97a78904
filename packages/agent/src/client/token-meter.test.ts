import { expect, test } from 'vitest';
import { TokenMeter } from './token-meter.ts';

test('counts by model, and a total that is not told is the sum of its parts', () => {
  const meter = new TokenMeter();
  expect(meter.add({ model: 'big-1', input: 100, output: 20 })).toBe(true);
  expect(meter.add({ model: 'big-1', cacheRead: 1_000, costUsd: 0.25 })).toBe(true);
  expect(meter.add({ tokens: 7 })).toBe(true);
  expect(meter.takeNews()).toEqual({
    kind: 'tokens',
    total: 1_127,
    costUsd: 0.25,
    models: [{ model: 'big-1', input: 100, output: 20, cacheRead: 1_000, cacheWrite: 0, cacheWriteHour: 0 }],
  });
  expect(meter.takeNews()).toBeNull();
});

test('a new incarnation counts from zero, with what was not reported before', () => {
  const meter = new TokenMeter();
  meter.add({ model: 'big-1', input: 100 });
  meter.takeNews();
  meter.add({ model: 'big-1', input: 5 });
  meter.startOver();
  expect(meter.takeNews()).toMatchObject({ total: 5, models: [{ model: 'big-1', input: 5 }] });
});

test('takes no number below zero, and none that is not finite', () => {
  const meter = new TokenMeter();
  for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY])
    expect([meter.add({ tokens: bad }), meter.add({ model: 'm', output: bad })]).toEqual([false, false]);
  expect(meter.takeNews()).toBeNull();
});

test('a program that names 10,000 models reports 16 of them, and every token', () => {
  const meter = new TokenMeter();
  for (let n = 0; n < 10_000; n += 1) meter.add({ model: `m-${n}`, input: 1 });
  const news = meter.takeNews();
  expect(news).toMatchObject({ total: 10_000 });
  expect(news?.kind === 'tokens' && news.models).toHaveLength(16);
});
