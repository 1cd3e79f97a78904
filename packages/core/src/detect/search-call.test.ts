import { expect, test } from 'vitest';
import { isSearchCall } from './search-call.ts';

test.each([
  "find . -name 'x*'",
  'cd src && grep -rn lease . | head -5 || true',
  'git grep lease',
  'LC_ALL=C rg lease',
  'ls build/*.o 2>/dev/null',
])('a search: %s', (command) => {
  expect(isSearchCall({ command })).toBe(true);
});

test.each([
  'mkdir -p build',
  "find . -name '*.o' -delete",
  'find . -exec touch {} +',
  'psql -q -f a.sql',
  'make | grep x',
])('no search: %s', (command) => {
  expect(isSearchCall({ command })).toBe(false);
});

test('a tool with a question is a search', () => {
  expect(isSearchCall({ pattern: 'lease', path: 'src' })).toBe(true);
  expect(isSearchCall({ file_path: 'a.ts' })).toBe(false);
});
