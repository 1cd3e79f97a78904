import { expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import type { LetterMarking } from '../store/letters.ts';
import { DeliveryMarks } from './delivery-marks.ts';

it('marks together what comes while a mark is under way, and tells one of two about the same letter', async () => {
  const asked: (readonly string[])[] = [];
  let isAnswering = true;
  const markLetters = async ({ letterIds }: LetterMarking) => {
    if (!isAnswering) throw new Error('away');
    asked.push(letterIds);
    return letterIds.filter((letterId) => letterId !== 'known');
  };
  const marks = new DeliveryMarks({ markLetters }, new ManualClock());
  const first = marks.add(['a']);
  await Promise.resolve();
  const later = await Promise.all([marks.add(['b', 'known']), marks.add(['b', 'c']), first]);
  expect(later.map(({ ids }) => [...ids])).toEqual([['b'], ['c'], ['a']]);
  expect(asked).toEqual([['a'], ['b', 'known', 'c']]);
  isAnswering = false;
  await expect(marks.add(['d'])).rejects.toThrow('away');
  isAnswering = true;
  expect([...(await marks.add(['d'])).ids]).toEqual(['d']);
});
