import { describe, expect, it } from 'vitest';
import type { StoredLetter } from '../store/letters.ts';
import { isForSuccessor } from './self-handoff.ts';

const letter = (content: object, more: Partial<StoredLetter> = {}) =>
  ({ from: 'ada', to: 'ada', content: JSON.stringify(content), ...more }) as StoredLetter;

describe('a handoff of an agent to itself', () => {
  it('is for the next start only', () => {
    const handoff = letter({ type: 'handoff', message: 'go on', incarnation: 3 });
    expect(isForSuccessor(handoff, 3)).toBe(true);
    expect(isForSuccessor(handoff, 4)).toBe(false);
  });

  it.each([
    ['another letter to itself', letter({ type: 'request', incarnation: 3 })],
    ['a handoff of another agent', letter({ type: 'handoff', incarnation: 3 }, { from: 'bob' })],
    ['a handoff that names no start', letter({ type: 'handoff' })],
  ])('is not %s', (_, other) => {
    expect(isForSuccessor(other, 3)).toBe(false);
  });
});
