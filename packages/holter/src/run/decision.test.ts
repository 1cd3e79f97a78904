import { expect, test } from 'vitest';
import { untilDecided } from './decision.ts';

type Parts = Parameters<typeof untilDecided>[0];

/** What the run does at each look, in turn; the last one repeats. */
function decide(looks: readonly { readonly isStarting?: boolean; readonly step?: string }[]) {
  let at = -1;
  const now = () => looks[Math.min(at, looks.length - 1)];
  const next = { step: 'recover', at: null, inSeconds: null, why: '' };
  const agent = {
    look: async () => {
      at += 1;
      const step = now()?.step;
      return { incident: step === undefined ? null : { step, next } };
    },
  };
  const clock = { now: () => 0, after: (_: number, call: () => void) => void queueMicrotask(call) };
  return untilDecided({
    agent: agent as unknown as Parts['agent'],
    clock: clock as unknown as Parts['clock'],
    say: () => undefined,
    isOver: () => at > 10,
    isStarting: () => now()?.isStarting ?? false,
    isReceiptComing: false,
  });
}

test('an agent without an incident stays down', async () => {
  expect(await decide([{}])).toBe('down');
});

test('a command that ends before its own start is reported waits for the decision about that end', async () => {
  expect(await decide([{ isStarting: true }, { step: 'recover' }, { step: 'human' }])).toBe('person');
  expect(await decide([{ isStarting: true }, { isStarting: true }, {}])).toBe('down');
});

test('a successor that has started ends the wait', async () => {
  expect(await decide([{ step: 'recover' }])).toBeNull();
});
