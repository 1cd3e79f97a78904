import { expect, test } from 'vitest';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';

test('takes happenings out in the order of their moments, as a sorted list would', () => {
  const random = new Random(5, 0);
  const schedule = new Schedule(1);
  const moments: number[] = [];
  const taken: number[] = [];
  for (let round = 0; round < 4_000; round++) {
    if (random.chance(0.6)) {
      const at = Math.floor(random.unit() * 500) + round;
      schedule.add(at, random.below(9), 1, 0, undefined);
      moments.push(at);
    } else if (schedule.next(Number.POSITIVE_INFINITY)) taken.push(schedule.nowAt);
  }
  while (schedule.next(Number.POSITIVE_INFINITY)) taken.push(schedule.nowAt);
  expect([...taken].sort((a, b) => a - b)).toEqual(moments.sort((a, b) => a - b));
  expect(schedule.length).toBe(0);
});

test('shuffles what falls on the same moment, by the seed alone', () => {
  const orderOf = (seed: number): number[] => {
    const schedule = new Schedule(seed);
    for (let slot = 0; slot < 12; slot++) schedule.add(1_000, slot, 1, 0, undefined);
    const order: number[] = [];
    while (schedule.next(1_000)) order.push(schedule.nowSlot);
    return order;
  };
  expect(orderOf(1)).toEqual(orderOf(1));
  expect(orderOf(1)).not.toEqual(orderOf(2));
  expect([...orderOf(1)].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('leaving a slot out does not reorder the others', () => {
  const orderOf = (slots: readonly number[]): number[] => {
    const schedule = new Schedule(7);
    for (const slot of slots) schedule.add(5, slot, 1, 0, undefined);
    const order: number[] = [];
    while (schedule.next(5)) order.push(schedule.nowSlot);
    return order;
  };
  const all = orderOf([0, 1, 2, 3, 4, 5, 6]);
  expect(orderOf([0, 1, 2, 4, 5, 6])).toEqual(all.filter((slot) => slot !== 3));
});

test('takes nothing out before its time', () => {
  const schedule = new Schedule(1);
  schedule.add(10, 0, 1, 0, 'later');
  expect(schedule.next(9.9)).toBe(false);
  expect(schedule.next(10)).toBe(true);
  expect(schedule.nowData).toBe('later');
});
