import { expect, test } from 'vitest';
import { frameQueue } from './frames.ts';

/** Frames that come when the test says so. */
function byHand(perFrame: number) {
  const due: (() => void)[] = [];
  const done: string[][] = [];
  const queue = frameQueue<string>(
    perFrame,
    (then) => due.push(then),
    (pieces) => done.push([...pieces]),
  );
  return { queue, done, due, frame: () => due.shift()?.() };
}

test('works in pieces, one frame after the other, and then asks for no frame any more', () => {
  const { queue, done, due, frame } = byHand(2);
  for (const name of ['a', 'b', 'c', 'd', 'e']) queue.put(name, name);
  expect(due).toHaveLength(1);
  frame();
  frame();
  expect(done).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  frame();
  expect(done.at(-1)).toEqual(['e']);
  expect(due).toHaveLength(0);
});

test('a newer piece takes the place of an older one that still waits', () => {
  const { queue, done, frame } = byHand(8);
  queue.put('a', 'old');
  queue.put('b', 'b');
  queue.put('a', 'new');
  frame();
  queue.put('a', 'newer');
  frame();
  expect(done).toEqual([['new', 'b'], ['newer']]);
});
