import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from './hash.ts';

describe('hashText', () => {
  test('never changes, because hashes are stored', () => {
    expect(hashText('')).toBe(hashText(''));
    expect([hashText(''), hashText('a'), hashText('toolu_01'), hashText('é🙂')]).toMatchInlineSnapshot(`
      [
        3338908027751811,
        7929297801672961,
        3039535840994603,
        6613944522417340,
      ]
    `);
  });

  test('gives exact non-negative integers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const hash = hashText(text);
        return Number.isSafeInteger(hash) && hash >= 0 && hash === hashText(text);
      }),
    );
  });

  test('has no collision among 200,000 similar ids', () => {
    const seen = new Set<number>();
    for (let i = 0; i < 100_000; i += 1) seen.add(hashText(`toolu_${i}`)).add(hashText(`${i}`));
    expect(seen.size).toBe(200_000);
  });

  test('fills its buckets evenly, by low and by high bits', () => {
    const samples = 64_000;
    const byLow = new Array<number>(64).fill(0);
    const byHigh = new Array<number>(64).fill(0);
    for (let i = 0; i < samples; i += 1) {
      const hash = hashText(`signal-${i}`);
      const low = hash % 64;
      const high = Math.floor(hash / 2 ** 47);
      byLow[low] = (byLow[low] ?? 0) + 1;
      byHigh[high] = (byHigh[high] ?? 0) + 1;
    }
    // 1,000 expected in each; six standard deviations are about 190.
    for (const filled of [...byLow, ...byHigh]) expect(Math.abs(filled - samples / 64)).toBeLessThan(190);
  });

  test('flips about half of its bits for a change of one letter', () => {
    let flipped = 0;
    const pairs = 2_000;
    for (let i = 0; i < pairs; i += 1)
      flipped += differingBits(hashText(`call ${i} a`), hashText(`call ${i} b`));
    expect(flipped / pairs).toBeGreaterThan(23);
    expect(flipped / pairs).toBeLessThan(30);
  });

  test('hashes 10 MB well within a second', () => {
    const text = 'x'.repeat(1_000_000);
    const start = performance.now();
    for (let i = 0; i < 10; i += 1) hashText(text);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

function differingBits(a: number, b: number): number {
  let count = 0;
  let rest = BigInt(a) ^ BigInt(b);
  for (; rest > 0n; rest >>= 1n) count += Number(rest & 1n);
  return count;
}
