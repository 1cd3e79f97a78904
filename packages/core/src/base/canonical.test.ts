import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CANONICAL_DEPTH_MAX, canonicalJson } from './canonical.ts';

const textOf = (value: unknown): string => {
  const canonical = canonicalJson(value);
  return canonical.kind === 'canonical' ? canonical.text : `${canonical.because} at ${canonical.path}`;
};

/** The same value with every object's keys in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, below]) => [key, reversed(below)]));
}

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

describe('canonicalJson', () => {
  test('sorts keys at every depth and leaves no spaces', () => {
    expect(textOf({ b: 1, a: [{ d: null, c: 'x y' }] })).toBe('{"a":[{"c":"x y","d":null}],"b":1}');
  });

  test('round-trips through JSON.parse and ignores key order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = textOf(value);
        expect(textOf(reversed(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('is stable: parsing and writing again gives the same text', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => textOf(JSON.parse(textOf(value))) === textOf(value)));
  });

  test('writes minus zero as zero and a lone surrogate as an escape', () => {
    expect(textOf([-0, 1e21, 0.1, '\ud800'])).toBe('[0,1e+21,0.1,"\\ud800"]');
  });

  test('tells a key named __proto__ from an absent one', () => {
    expect(textOf(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  test.each([
    ['not a number', { a: Number.NaN }, 'not-finite at $.a'],
    ['infinity', [1, Number.POSITIVE_INFINITY], 'not-finite at $[1]'],
    ['undefined', undefined, 'not-a-json-value at $'],
    ['an undefined property', { a: undefined }, 'not-a-json-value at $.a'],
    ['a hole in a list', new Array(1), 'not-a-json-value at $[0]'],
    ['a function', { a: () => 1 }, 'not-a-json-value at $.a'],
    ['a bigint', 1n, 'not-a-json-value at $'],
    ['a symbol', Symbol('s'), 'not-a-json-value at $'],
    ['a date', new Date(0), 'not-a-json-value at $'],
    ['a map', { a: new Map() }, 'not-a-json-value at $.a'],
    ['an instance', new (class Point {})(), 'not-a-json-value at $'],
  ])('refuses %s', (_, value, refusal) => {
    expect(textOf(value)).toBe(refusal);
  });

  test('refuses a cycle, but accepts a shared subvalue', () => {
    const part = { a: 1 };
    expect(textOf([part, part])).toBe('[{"a":1},{"a":1}]');
    const ring: { self?: unknown } = {};
    ring.self = [ring];
    expect(textOf(ring)).toBe('cycle at $.self[0]');
  });

  test('refuses a value that is nested too deep', () => {
    expect(canonicalJson(nested(CANONICAL_DEPTH_MAX - 1)).kind).toBe('canonical');
    expect(canonicalJson(nested(CANONICAL_DEPTH_MAX))).toMatchObject({ because: 'too-deep' });
  });

  test('refuses a small value that expands to a huge text', () => {
    let value: unknown = 'x'.repeat(100);
    for (let i = 0; i < 40; i += 1) value = [value, value];
    expect(canonicalJson(value)).toMatchObject({ because: 'too-large' });
  });
});
