import { expect, it } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { type LetterMarking, type StoredLetter, unmarked } from '../store/letters.ts';
import { DeliveryMarks } from './delivery-marks.ts';

const clock = new ManualClock();
const letter = (letterId: string): StoredLetter =>
  unmarked({
    ...{ letterId, from: 'ada', to: 'bob', clientId: null, subject: 's', priority: 'low' },
    ...{ inReplyTo: null, passed: [], isVerified: true, sentAt: clock.now(), content: '{}' },
  });

it('shows letters as delivered at once, marks together what comes meanwhile, and tells each once', async () => {
  const asked: (readonly string[])[] = [];
  const told: string[] = [];
  let isAnswering = true;
  const marks = new DeliveryMarks({
    clock,
    store: {
      markLetters: async ({ letterIds }: LetterMarking) => {
        asked.push(letterIds);
        await settled();
        if (!isAnswering) throw new Error('away');
        return letterIds.filter((letterId) => letterId !== 'known');
      },
    },
    delivered: async ({ letterId }) => void told.push(letterId),
  });
  const [shown] = await marks.add([letter('a')]);
  expect(shown?.deliveredAt).toBe(clock.now());
  expect(told).toEqual([]);
  await marks.add([letter('b'), letter('known')]);
  await marks.add([letter('b'), letter('c')]);
  await expect.poll(() => told).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual([['a'], ['b', 'known', 'c']]);
  await settled();
  // What could not be marked is marked when it is listed again.
  isAnswering = false;
  await marks.add([letter('d')]);
  await expect.poll(() => asked.length).toBe(3);
  await settled();
  await settled();
  isAnswering = true;
  await marks.add([letter('d')]);
  await expect.poll(() => told).toEqual(['a', 'b', 'c', 'd']);
});
