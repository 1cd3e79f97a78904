import { expect, test } from 'vitest';
import type { LetterQuery, StoredLetter } from '../store/letters.ts';
import { listInPages } from './list-in-pages.ts';

test.each([
  [0, 100],
  [25, 25],
  [26, 100],
  [130, 100],
  [130, 1_000],
])('of %i letters, newest first, %i are listed without having many at once', async (count, limit) => {
  const asked: LetterQuery[] = [];
  const waits: number[] = [];
  const list = async (query: LetterQuery, _visitor: unknown, { waitMs }: { waitMs: number }) => {
    asked.push(query);
    waits.push(waitMs);
    const from = query.before === undefined ? count : Number(query.before);
    const ids = Array.from({ length: Math.max(0, Math.min(query.limit, from)) }, (_, n) => from - 1 - n);
    return ids.map((id) => ({ letterId: String(id) }) as StoredLetter);
  };
  const wait = { waitMs: 5, isGone: async () => false };
  const query = { of: 'ada', box: 'inbox', limit } as const;
  const found = await listInPages({ list }, query, [null, wait], ({ letterId }) => Number(letterId));
  expect(found).toEqual(Array.from({ length: Math.min(count, limit) }, (_, n) => count - 1 - n));
  expect(Math.max(...asked.map((each) => each.limit))).toBeLessThanOrEqual(25);
  // Only a list that is empty so far waits for the first letter.
  expect(waits).toEqual(waits.map((_, n) => (n === 0 ? 5 : 0)));
});
