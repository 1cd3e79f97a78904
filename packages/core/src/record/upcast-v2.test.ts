import { expect, test } from 'vitest';
import { upcast } from './upcast.ts';

const step = { incidentId: 'a/b/3', step: 'terminate', attempt: 2 };

test.each([
  ['a step', 'terminate', 'a/b/3/terminate/2', { livesBy: 'incident:a/b/3', step, order: null }],
  ['a denial', 'deny-call', 'a/b/3/terminate/2/deny', { livesBy: 'incident:a/b/3', step }],
  ['words beside a step', 'request-handoff', 'a/b/3/terminate/2/handoff', { livesBy: 'incident:a/b/3' }],
  ['a reminder', 'remind', 'a/b#4/remind/7/1000', { livesBy: 'start:a/b#4' }],
])('%s of version 1 names what it lives by', (_what, kind, id, expected) => {
  const effect = { id, agentId: 'a/b', incarnation: 4, executor: null, kind };
  expect(upcast('effect', effect, 1)).toEqual({ ...effect, ...expected });
});

test('an inquiry of version 1 expires when its answer is due', () => {
  const effect = { id: 'ada#1/inquire/5', agentId: 'ada', incarnation: 1, kind: 'inquire', answerBy: 9 };
  expect(upcast('effect', effect, 1)).toMatchObject({ livesBy: 'start:ada#1', until: 9 });
});

test('a mass-failure alert of version 1 lives by the group', () => {
  const effect = { id: 'fleet/blue/mass-failure/5', agentId: 'fleet:blue', incarnation: 0, kind: 'notify' };
  expect(upcast('effect', effect, 1)).toMatchObject({ livesBy: 'fleet:blue' });
});

test.each([
  ['olga', 'person'],
  ['policy', 'policy'],
  ['policy on_run_lost', 'run'],
])('an order of version 1 by %s came from a %s', (by, source) => {
  const effect = { id: 'ada/1/terminate/1', agentId: 'ada', kind: 'terminate', reason: `ordered by ${by}` };
  expect(upcast('effect', effect, 1)).toMatchObject({ order: source });
  const hard = { agentId: 'ada', incident: { id: 'ada/1', order: { by, afterwards: 'stop' } } };
  expect(upcast('agent', hard, 1)).toMatchObject({ incident: { order: { by, source } } });
});

test('facts of version 1 have their new names', () => {
  const hard = {
    agentId: 'ada',
    marks: { hook: 3 },
    incident: { id: 'ada/1', cause: 'silent', step: 'terminate', saidGoneAt: 7 },
  };
  expect(upcast('agent', hard, 1)).toEqual({
    agentId: 'ada',
    highWater: { hook: 3 },
    incident: { id: 'ada/1', cause: 'silent', step: 'terminate', exitReportedAt: 7 },
  });
});
