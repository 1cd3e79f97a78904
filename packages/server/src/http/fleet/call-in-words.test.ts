import { expect, test } from 'vitest';
import { inputInWords, outputInWords } from './call-in-words.ts';

test.each<[unknown, string | null]>([
  [undefined, null],
  [{}, null],
  ['ls -l', 'ls -l'],
  [{ command: 'npm test\n  --silent' }, 'npm test --silent'],
  [
    { file_path: 'a.ts', limit: 5, edits: [1, 2], deep: { a: 1 } },
    'a.ts, limit: 5, edits: 2 items, deep: {…}',
  ],
])('arguments %j are shown as %j', (input, words) => expect(inputInWords(input)).toBe(words));

test('what is kept of a call is bounded, however large it is', () => {
  const large = 'x'.repeat(1_000_000);
  expect(inputInWords({ command: large })).toHaveLength(161);
  expect(outputInWords(`${large}`)).toHaveLength(161);
  expect(inputInWords(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i])))).toBe(
    'k0: 0, k1: 1, k2: 2, k3: 3, k4: 4, k5: 5',
  );
});
