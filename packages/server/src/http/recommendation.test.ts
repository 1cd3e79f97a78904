import type { Agent, FindingKind, Incident } from '@holter/core';
import { expect, test } from 'vitest';
import { recommendationOf } from './recommendation.ts';
import type { AgentView } from './types.ts';

const WORDS = [
  'nudge',
  'allow_more_time',
  'acknowledge',
  'leave_down',
  'terminate_and_recover',
  'terminate',
  'recover',
] as const;
type Word = (typeof WORDS)[number];

const possible = (...words: readonly Word[]): AgentView['decisions'] =>
  Object.fromEntries(
    WORDS.map((word) => [word, words.includes(word) ? null : 'not now']),
  ) as AgentView['decisions'];

/** Only what the recommendation looks at. */
const agent = (kind: FindingKind | null, incident: Partial<Incident> | null, isEnded = false): Agent =>
  ({
    hard: {
      points: kind ? [{ kind, severity: 'act', since: 0 }] : [],
      derived: [],
      ...(incident && { incident: { step: 'escalate', ...incident } }),
      ...(isEnded && { end: { how: 'crash' } }),
    },
  }) as unknown as Agent;

const calm = { at: 0, held: { anyMs: 0, outsideToolMs: 0 } } as Incident['calm'];
const everything = possible('nudge', 'allow_more_time', 'acknowledge', 'terminate_and_recover', 'terminate');

test.each<[string, Agent, AgentView['decisions'], Word | null]>([
  ['no incident', agent('repeated-call', null), everything, null],
  ['a nudge is still at work', agent('repeated-call', { step: 'nudge' }), everything, null],
  ['resolved', agent(null, { ...(calm && { calm }) }), everything, null],
  ['not told yet', agent('repeated-call', {}), everything, 'nudge'],
  ['nudged in vain', agent('repeated-call', { isNudgeSeen: true }), everything, 'terminate_and_recover'],
  ['nothing can start it', agent('frozen', {}), possible('terminate', 'acknowledge'), 'terminate'],
  ['remote', agent('missed-heartbeats', {}), possible('acknowledge'), 'acknowledge'],
  ['a service fails', agent('breaker-open', {}), everything, 'acknowledge'],
  ['a limit', agent('limit-exceeded', {}), everything, 'allow_more_time'],
  ['a budget', agent('budget', {}), everything, 'allow_more_time'],
  ['ended', agent(null, { step: 'recover' }, true), possible('recover', 'leave_down'), 'recover'],
  ['ended for good', agent(null, { step: 'human' }, true), possible('leave_down'), 'leave_down'],
])('%s', (_name, given, decisions, word) => {
  expect(recommendationOf(given, decisions)?.decision ?? null).toBe(word);
});

test('the reason tells nudges that were not read in time from none', () => {
  const nudges = { decided: 3, delivered: 1, newest: 'delivered' } as const;
  const why = (incident: Partial<Incident>) =>
    recommendationOf(agent('repeated-call', incident), everything)?.why;
  expect(why({})).toBe('it has not been nudged yet');
  expect(why({ nudges })).toBe('its nudges have not been read in time');
});
