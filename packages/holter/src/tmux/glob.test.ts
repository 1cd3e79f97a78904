import { expect, it } from 'vitest';
import { matchesGlob } from './glob.ts';

it.each([
  ['*', 'anything', true],
  ['*', '', true],
  ['gt-*', 'gt-deacon', true],
  ['gt-*', 'my-gt-deacon', false],
  ['gt', 'gt-deacon', false],
  ['*-api-*', 'eu-api-api-7', true],
  ['w?', 'w7', true],
  ['w?', 'w', false],
  ['[a-z]', 'b', false],
  [`${'*a'.repeat(40)}b`, 'a'.repeat(200), false],
])('%s and %s: %s', (pattern, name, isMatch) => {
  expect(matchesGlob(pattern, name)).toBe(isMatch);
});
