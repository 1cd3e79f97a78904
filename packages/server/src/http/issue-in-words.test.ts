import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueInWords } from './issue-in-words.ts';

const shape = z.strictObject({
  reason: z.string().min(1).max(5),
  minutes: z.number().positive().max(10),
  mode: z.enum(['act', 'nudge']),
  list: z.array(z.string()).max(1),
  count: z.int(),
  id: z.string().regex(/^a/),
});
const good = { reason: 'why', minutes: 1, mode: 'act', list: [], count: 1, id: 'a' };

test.each<[change: object, words: string]>([
  [{ reason: undefined }, 'is missing'],
  [{ reason: 7 }, 'must be text'],
  [{ reason: '' }, 'must have at least 1 character'],
  [{ reason: 'too long' }, 'must have at most 5 characters'],
  [{ minutes: '5' }, 'must be a number'],
  [{ minutes: 0 }, 'must be more than 0'],
  [{ minutes: 11 }, 'must be at most 10'],
  [{ mode: 'watch' }, 'must be one of act, nudge'],
  [{ list: ['a', 'b'] }, 'must have at most 1 entry'],
  [{ list: {} }, 'must be an array'],
  [{ count: 1.5 }, 'must be a whole number'],
  [{ id: 'b' }, 'is not well formed'],
])('%j: %s', (change, words) => {
  const { error } = shape.safeParse({ ...good, ...change });
  expect(error?.issues.map(issueInWords)).toEqual([words]);
});
