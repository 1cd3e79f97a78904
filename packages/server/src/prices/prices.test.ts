import { type ModelPrice, priceOf } from '@holter/core';
import { describe, expect, it } from 'vitest';
import { compile } from '../policy/index.ts';
import { shippedPrices } from './index.ts';

const { table, date, sources } = shippedPrices();
const name = (model: string): string | undefined => priceOf(table, model)?.model;

describe('the price list that Holter ships', () => {
  it('has a date, its sources, and prices that are in order', () => {
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    for (const source of sources) expect(source).toMatch(/^https:\/\//);
    for (const { input, output, cacheRead, cacheWrite, cacheWriteHour } of table) {
      expect(input).toBeGreaterThan(0);
      expect(output).toBeGreaterThan(input);
      expect(cacheRead).toBeLessThan(input);
      expect(cacheWriteHour).toBeGreaterThanOrEqual(cacheWrite);
    }
  });

  it.each([
    ['claude-opus-4-8', 'claude-opus-4-8'],
    ['claude-opus-4-20250514', 'claude-opus-4'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5-20250929[1m]', 'claude-sonnet-4-5'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
    ['claude-opus-5-5', 'claude-opus-5-5'],
    ['claude-opus-5-9', undefined],
    ['claude-haiku-5-5', undefined],
    ['gpt-5-codex-mini', undefined],
    ['my-claude-opus-4-8', undefined],
    ['', undefined],
  ])('%s has the price of %s', (model, expected) => {
    expect(name(model)).toBe(expected);
  });

  it('reckons as Claude Code does itself', () => {
    // Its own telemetry says 0.095465 dollars for one such request.
    const { input, output } = priceOf(table, 'claude-opus-4-8') as ModelPrice;
    expect((18_993 * input + 20 * output) / 1e6).toBeCloseTo(0.095465, 6);
  });
});

describe('prices of the operator', () => {
  const compiled = (prices: unknown) => compile({ prices });

  it('come by name, longer names first, and a cache costs as much as other input unless told', () => {
    const result = compiled({
      'my-*': { input: 1, output: 2 },
      'my-big': { input: 3, output: 9, cache_read: 0.3 },
    });
    if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
    expect(result.policies.prices).toEqual([
      { model: 'my-big', input: 3, output: 9, cacheRead: 0.3, cacheWrite: 3, cacheWriteHour: 3 },
      { model: 'my-*', input: 1, output: 2, cacheRead: 1, cacheWrite: 1, cacheWriteHour: 1 },
    ]);
  });

  it.each([
    [{ m: { input: 1 } }, 'prices.m', 'needs output, in dollars per million tokens'],
    [{ m: { input: -1, output: 1 } }, 'prices.m.input', 'must be a number from 0 to 1000000, not -1'],
    [{ m: { input: 1, output: 1, cache: 1 } }, 'prices.m.cache', 'is not a known key'],
    [{ 'a b': { input: 1, output: 1 } }, 'prices.a b', 'is not a valid name'],
    [3, 'prices', 'must be a section'],
  ])('%o is an error', (prices, path, message) => {
    expect(compiled(prices)).toMatchObject({
      kind: 'invalid',
      problems: [{ path, message: expect.stringContaining(message) }],
    });
  });
});

describe('budgets', () => {
  it.each([
    [{ run: { usd: 0 } }, 'budgets.run.usd', 'none lifts it'],
    [{ run: { at_limit: 'kill' } }, 'budgets.run.at_limit', 'must be one of warn, nudge, escalate, stop'],
    [{ run: { warn_at: 80 } }, 'budgets.run.warn_at', 'from 0.01 to 1'],
    [{ week: { usd: 5 } }, 'budgets.week', 'is not a known key'],
    [{ run: { limit: 5 } }, 'budgets.run.limit', 'is not a known key'],
  ])('%o is an error', (budgets, path, message) => {
    expect(compile({ budgets })).toMatchObject({
      kind: 'invalid',
      problems: [{ path, message: expect.stringContaining(message) }],
    });
  });

  it('of the day is the same for all agents', () => {
    expect(compile({ groups: { crew: { budgets: { day: { usd: 5 } } } } })).toMatchObject({
      kind: 'invalid',
      problems: [{ path: 'groups.crew.budgets.day' }],
    });
  });
});
