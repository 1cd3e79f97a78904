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
  ['JOB_ENDED', { outcome: 'failed', code: 2, durationMs: 61_000 }, 'the job failed (exit 2) after 1 min'],
  ['RECOVERY_INITIATED', { attempt: 1, fromCheckpoint: 'c3' }, 'restart 1 ordered, from c3'],
  ['RECOVERY_INITIATED', { attempt: 2, fromCheckpoint: 'session' }, 'restart 2 ordered, from its session'],
  ['RECOVERY_COMPLETED', {}, 'the restart has passed its probation'],
  ['JOB_ENDED', { outcome: 'done' }, 'the job finished'],
  [
    'WORKER_ESCALATION_TICKET',
    { ticket: { severity: 'high', cause: 'no progress' } },
    'the judge wrote a high ticket: no progress',
  ],
  [
    'QUEEN_INTERVENTION_REQUESTED',
    { severity: 'high', analysis: 'It is high.' },
    'a person was notified of the high ticket: It is high.',
  ],
  ['TICKET_CHANGED', { status: 'dismissed', by: 'rules', reason: 'low' }, 'ticket dismissed: low'],
  [
    'TICKET_CHANGED',
    { status: 'false_alarm', by: 'alice', reason: '' },
    'ticket marked as a false alarm by alice',
  ],
  ['OF_A_NEWER_SERVER', {}, 'of a newer server'],
])('%s %j is told as a sentence', (type, payload, sentence) => {
  expect(eventSentence(event(type, payload))).toBe(sentence);
});
