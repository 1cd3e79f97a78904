import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import type { PendingAck } from '../record/agent.ts';
import type { MessagePriority } from '../vocabulary/signal.ts';
import { ACKS_MAX } from './messages.ts';

const deliver = (bench: Bench, messageId: string, priority: MessagePriority): void =>
  void bench.signal({ kind: 'message-delivered', messageId, priority }, 'holter');
const watched = ({ agent }: Bench): readonly PendingAck[] => agent.hard.acks ?? [];

test('as many letters are awaited as a box holds; of more, the oldest of the least urgent goes', () => {
  const bench = new Bench();
  for (const id of ['low-1', 'low-2']) deliver(bench, id, 'low');
  deliver(bench, 'msg-1763444000000-0123456789ab', 'urgent');
  const [, , urgent] = watched(bench);
  if (!urgent) throw new Error('it is not awaited');
  const many = Array.from({ length: ACKS_MAX - 3 }, (_, idHash) => ({ ...urgent, idHash }));
  const { soft, hard } = bench.agent;
  bench.agent = { soft, hard: { ...hard, acks: [...watched(bench), ...many] } };
  deliver(bench, 'now', 'urgent');
  expect(watched(bench)).toHaveLength(ACKS_MAX);
  expect(watched(bench)[0]).toMatchObject({ id: 'low-2' });
  expect(watched(bench).at(-1)).toMatchObject({ id: 'now' });
  expect(JSON.stringify(watched(bench)).length).toBeLessThan(150 * ACKS_MAX);
});

test('one reminder tells of all letters that are late at the same time', () => {
  const bench = new Bench();
  for (let n = 0; n < 40; n += 1) deliver(bench, `m-${n}`, 'normal');
  const turns = bench.advance(16 * 60_000);
  const reminders = turns.flatMap(({ effects }) => effects.filter(({ kind }) => kind === 'remind'));
  expect(reminders).toMatchObject([
    { message: expect.stringContaining('is not acknowledged yet, nor are 39 more.') },
  ]);
  deliver(bench, 'one more', 'normal');
  const later = bench.advance(16 * 60_000).flatMap(({ effects }) => effects);
  expect(later.filter(({ kind }) => kind === 'remind')).toEqual([]);
  const late = turns.flatMap(({ events }) => events.filter(({ type }) => type === 'ACK_OVERDUE'));
  expect(late).toHaveLength(40);
});
