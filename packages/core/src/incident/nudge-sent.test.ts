import { describe, expect, test } from 'vitest';
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

describe('a nudge that is read after the next step was decided', () => {
  function late() {
    const { bench, nudge } = nudged();
    bench.feed({ kind: 'claim', effect: nudge, evidence: {} });
    bench.feed({ kind: 'decision', decision: { decision: 'terminate', by: 'olga', reason: 'enough' } });
    expect(bench.agent.hard.incident).toMatchObject({ step: 'terminate', nudges: { newest: 'offered' } });
    return { bench, nudge };
  }

  test('has been sent and seen, and is no evidence against the agent', () => {
    const { bench, nudge } = late();
    expect(sentCount(bench, nudge, 'seen')).toBe(1);
    expect(bench.agent.hard.incident).toMatchObject({
      isNudgeSeen: true,
      nudges: { decided: 1, delivered: 1, newest: 'seen' },
    });
    expect(bench.agent.hard.incident?.repeatAtNudge).toBeUndefined();
    expect(sentCount(bench, nudge, 'seen')).toBe(0);
  });

  test('of another incident or start is only recorded', () => {
    const { bench, nudge } = late();
    sentCount(bench, { ...nudge, incarnation: 2 }, 'seen');
    const step = { incidentId: 'ada/9', step: 'nudge', attempt: 1 } as const;
    sentCount(bench, { ...nudge, step }, 'seen');
    expect(bench.agent.hard.incident?.nudges).toEqual({ decided: 1, delivered: 0, newest: 'offered' });
    expect(bench.agent.hard.incident?.isNudgeSeen).toBeUndefined();
  });
});

test('a nudge that was not read yet is withdrawn by the next one', () => {
  const { bench, nudge } = nudged();
  const decision = { decision: 'nudge', by: 'olga', reason: 'again' } as const;
  const { over, effects } = bench.feed({ kind: 'decision', decision });
  expect(over).toContain(nudge.livesBy);
  expect(effects.map(({ id }) => id)).toEqual(['ada/1/nudge/2']);
  expect(bench.feed({ kind: 'claim', effect: nudge, evidence: {} }).claim).toBe('cancelled');
});
