import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import type { Effect } from '../vocabulary/effect.ts';

/** An agent that a person has just nudged, and the nudge. */
function nudged(): { bench: Bench; nudge: Effect; typesAtDecision: readonly string[] } {
  const bench = new Bench();
  const decision = { decision: 'nudge', by: 'olga', reason: 'how is it going?' } as const;
  const { effects, events } = bench.feed({ kind: 'decision', decision });
  const nudge = effects.find(({ kind }) => kind === 'nudge') as Effect;
  return { bench, nudge, typesAtDecision: events.map(({ type }) => type) };
}

const sentCount = (bench: Bench, effect: Effect, outcome: 'delivered' | 'seen' | 'refused'): number =>
  bench
    .feed({ kind: 'receipt', effect, outcome, detail: '' })
    .events.filter(({ type }) => type === 'NUDGE_SENT').length;

test('a nudge is sent when it has reached the agent, and once', () => {
  const { bench, nudge, typesAtDecision } = nudged();
  expect(typesAtDecision).not.toContain('NUDGE_SENT');
  expect(sentCount(bench, nudge, 'delivered')).toBe(1);
  expect(sentCount(bench, nudge, 'delivered')).toBe(0);
  expect(sentCount(bench, nudge, 'seen')).toBe(0);
});

test('a nudge that was seen has also been sent', () => {
  const { bench, nudge } = nudged();
  expect(sentCount(bench, nudge, 'seen')).toBe(1);
});

test.each<[string, (nudge: Effect) => number]>([
  ['refused', (nudge) => sentCount(nudged().bench, nudge, 'refused')],
  ['of an earlier start', (nudge) => sentCount(nudged().bench, { ...nudge, incarnation: 0 }, 'delivered')],
])('a nudge that was %s is not called sent', (_what, count) => {
  expect(count(nudged().nudge)).toBe(0);
});

test('what became of a nudge is told apart, and one that has arrived is not lost later', () => {
  const { bench, nudge } = nudged();
  const newest = (): string | undefined => bench.agent.hard.incident?.nudges?.newest;
  expect(newest()).toBe('decided');
  bench.feed({ kind: 'claim', effect: nudge, evidence: {} });
  expect(newest()).toBe('offered');
  sentCount(bench, nudge, 'delivered');
  expect(newest()).toBe('delivered');
  sentCount(bench, nudge, 'refused');
  expect(newest()).toBe('delivered');
  sentCount(bench, nudge, 'seen');
  expect(bench.agent.hard.incident?.nudges).toEqual({ decided: 1, delivered: 1, newest: 'seen' });
});

test('a nudge that was not read yet is withdrawn by the next one', () => {
  const { bench, nudge } = nudged();
  const decision = { decision: 'nudge', by: 'olga', reason: 'again' } as const;
  const { over, effects } = bench.feed({ kind: 'decision', decision });
  expect(over).toContain(nudge.livesBy);
  expect(effects.map(({ id }) => id)).toEqual(['ada/1/nudge/2']);
  expect(bench.feed({ kind: 'claim', effect: nudge, evidence: {} }).claim).toBe('cancelled');
});
