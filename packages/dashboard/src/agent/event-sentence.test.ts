import type { EventView } from '@holter/server/wire';
import { expect, test } from 'vitest';
import { eventSentence } from './event-sentence.ts';

const event = (type: string, payload: EventView['payload']): EventView => ({
  cursor: 1,
  at: 0,
  type,
  agentId: 'ada',
  incarnation: 1,
  payload: { agentId: 'ada', ...payload },
  correlationId: null,
});

test.each<[string, EventView['payload'], string]>([
  ['NUDGE_SENT', { attempt: 2, message: 'same call' }, 'nudge 2 sent: same call'],
  ['HEALTH_STATE_CHANGED', { from: 'HEALTHY', to: 'STUCK', evidence: 'a loop' }, 'healthy → stuck: a loop'],
  ['FINDING_CLEARED', { kind: 'repeated-call' }, 'resolved: repeated call'],
  [
    'DECISION_MADE',
    { decision: 'dismiss', by: 'alice (operator page.3f)', reason: 'known', wrong: ['repeated-call'] },
    'alice decided: false alarm: known',
  ],
  ['DECISION_MADE', { decision: 'dismiss', by: 'bob', reason: '' }, "bob decided: don't restart"],
  ['DECISION_MADE', { decision: 'allow_more_time', by: 'bob', reason: '' }, 'bob decided: snooze'],
  ['HOLD_BEGAN', { hold: 'paused-by-operator' }, 'on hold: monitoring paused'],
  ['INCIDENT_ACKNOWLEDGED', { by: 'operator 3f2a', reason: '' }, 'acknowledged by an operator'],
  ['EFFECT_RECEIPT', { effect: 'nudge', outcome: 'seen', detail: 'read' }, 'the nudge was read'],
  [
    'INCIDENT_OPENED',
    { cause: 'operator', step: 'nudge' },
    'incident opened (started by an operator), first step: nudge',
  ],
  ['OF_A_NEWER_SERVER', {}, 'of a newer server'],
])('%s %j is told as a sentence', (type, payload, sentence) => {
  expect(eventSentence(event(type, payload))).toBe(sentence);
});
