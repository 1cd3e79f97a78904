import { describe, expect, test } from 'vitest';
import { ticketOf } from '../../test/ticket.ts';
import { instant } from '../base/time.ts';
import type { EscalationTicket } from '../vocabulary/ticket.ts';
import { emptyEvidence } from './evidence.ts';
import { type HealthSummary, summarize } from './health-summary.ts';
import { triageByRules, triageTicket } from './triage.ts';

const calm = ticketOf({ severity: 'medium', steps_since_last_accept: 9 });
const now = (fields: Partial<HealthSummary> = {}): HealthSummary => ({
  ...summarize(emptyEvidence({ agentId: 'ada', graphId: 'graph', sessionId: 's1' }), {
    at: instant(0),
    isoOf: String,
  }),
  total_steps: 47,
  steps_since_last_accept: 16,
  ...fields,
});

describe('triage', () => {
  test.each<[string, Partial<EscalationTicket>, Partial<HealthSummary>, string]>([
    ['low, a short streak', { severity: 'low', steps_since_last_accept: 7 }, {}, 'dismiss'],
    ['low, a longer streak', { severity: 'low', steps_since_last_accept: 8 }, {}, 'undecided'],
    ['medium, nine steps', {}, {}, 'undecided'],
    ['medium, ten steps', { steps_since_last_accept: 10 }, {}, 'intervene'],
    ['low, ten steps', { severity: 'low', steps_since_last_accept: 10 }, {}, 'intervene'],
    ['high', { severity: 'high' }, {}, 'intervene'],
    ['critical', { severity: 'critical' }, {}, 'intervene'],
    ['a stall of four minutes', { stall_minutes: 4 }, {}, 'undecided'],
    ['a longer stall', { stall_minutes: 4.1 }, {}, 'intervene'],
    ['a loop', {}, { loop: 'the same error 5 times' }, 'intervene'],
    ['an ACCEPT since', { severity: 'critical' }, { total_steps: 50, steps_since_last_accept: 1 }, 'dismiss'],
    [
      'fewer steps of another session',
      { severity: 'high' },
      { session_id: 's2', total_steps: 50 },
      'intervene',
    ],
    ['steps after a stall', { stall_minutes: 9, steps_since_last_accept: 2 }, { total_steps: 48 }, 'dismiss'],
    ['a session that has ended', { severity: 'high' }, { is_at_work: false }, 'dismiss'],
  ])('%s', (_what, ticket, summary, outcome) => {
    expect(triageTicket({ ...calm, ...ticket }, now(summary))).toMatchObject({ outcome });
  });

  test('rules alone disturb nobody about what they cannot decide', () => {
    expect(triageByRules(calm, null)).toMatchObject({ outcome: 'dismiss', by: 'rules' });
  });
});
