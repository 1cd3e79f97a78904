import { minutes, seconds } from '@holter/core';
import { expect, it } from 'vitest';
import { ClockSkews } from './clock-skews.ts';

const now = 1_000_000_000;

it('is not fooled by a beat that was held up, and forgets a clock that was corrected', () => {
  const skews = new ClockSkews();
  expect(skews.of('ada')).toBeNull();
  skews.note('ada', now - seconds(90), now);
  expect(skews.of('ada')).toBe(-seconds(90));
  skews.note('ada', now - 20, now);
  skews.note('ada', now - seconds(40), now + 1_000);
  expect(skews.of('ada')).toBe(-20);
  expect(skews.beyondMax()).toEqual([]);
  for (let m = 5; m <= 10; m += 5) skews.note('ada', now + minutes(m) - seconds(40), now + minutes(m));
  expect(skews.of('ada')).toBe(-seconds(40));
});

it('lists the agents whose clocks are more than 30 s off, the worst first', () => {
  const skews = new ClockSkews();
  skews.note('ada', now + seconds(30), now);
  skews.note('bob', now + seconds(31), now);
  skews.note('cyd', now - minutes(60), now);
  expect(skews.beyondMax()).toEqual([
    { agentId: 'cyd', skewMs: -minutes(60) },
    { agentId: 'bob', skewMs: seconds(31) },
  ]);
});

it('remembers a bounded number of agents, those heard last', () => {
  const skews = new ClockSkews();
  for (let i = 0; i <= 20_000; i += 1) skews.note(`agent-${i}`, now, now);
  expect([skews.of('agent-0'), skews.of('agent-1')]).toEqual([null, 0]);
});
