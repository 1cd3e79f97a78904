import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { ACKS_MAX } from './messages.ts';

test('of too many letters the most urgent are watched, and of those the oldest', () => {
  const bench = new Bench();
  const deliver = (messageId: string, priority: 'urgent' | 'low'): void =>
    void bench.signal({ kind: 'message-delivered', messageId, priority }, 'holter');
  const watched = (): readonly (string | undefined)[] => (bench.agent.hard.acks ?? []).map(({ id }) => id);
  for (let n = 0; n < ACKS_MAX; n += 1) deliver(`low-${n}`, 'low');
  deliver('one more', 'low');
  expect(watched()).not.toContain('one more');
  deliver('now', 'urgent');
  expect(watched()).toHaveLength(ACKS_MAX);
  expect(watched()).toContain('now');
  expect(watched()).toContain('low-0');
  expect(watched()).not.toContain(`low-${ACKS_MAX - 1}`);
  for (let n = 0; n < ACKS_MAX; n += 1) deliver(`urgent-${n}`, 'urgent');
  expect(watched()).toContain('now');
  expect(watched()).not.toContain(`urgent-${ACKS_MAX - 1}`);
});
