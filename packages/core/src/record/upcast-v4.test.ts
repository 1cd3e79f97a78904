import { expect, test } from 'vitest';
import { upcast } from './upcast.ts';

test('an escalation of version 3 was noticed when its wait began', () => {
  const incident = { id: 'ada/1', cause: 'silent', step: 'escalate', phase: 'waiting', wait: { at: 7 } };
  expect(upcast('agent', { agentId: 'ada', incident }, 3)).toEqual({
    agentId: 'ada',
    incident: { ...incident, noticedAt: 7 },
  });
});

test('an escalation of version 3 that was not shown to anybody keeps waiting until it is', () => {
  const hard = {
    agentId: 'ada',
    incident: { id: 'ada/1', cause: 'silent', step: 'escalate', phase: 'waiting' },
  };
  expect(upcast('agent', hard, 3)).toEqual(hard);
});

test.each([
  ['sent', { isNudgeSent: true }, { decided: 2, delivered: 2, newest: 'delivered' }],
  ['seen', { isNudgeSent: true, isNudgeSeen: true }, { decided: 2, delivered: 2, newest: 'seen' }],
  ['lost', { isNudgeLost: true }, { decided: 2, delivered: 0, newest: 'lost' }],
  ['waiting to be fetched', {}, { decided: 2, delivered: 0, newest: 'offered' }],
])('a nudge of version 3 that was %s says so in the new form', (_what, facts, nudges) => {
  const incident = { id: 'ada/1', cause: 'silent', step: 'nudge', attempt: 2, phase: 'waiting', ...facts };
  const upgraded = upcast('agent', { agentId: 'ada', incident }, 3) as unknown as {
    incident: Record<string, unknown>;
  };
  expect(upgraded.incident).toMatchObject({ step: 'nudge', nudges });
  expect(Object.keys(upgraded.incident)).not.toContain('isNudgeSent');
});

test.each([
  ['exit code 5', { exitCode: 5 }],
  ['killed by SIGKILL', { signal: 'SIGKILL' }],
  ['the process is gone', {}],
])('an end of version 3 with the text "%s" says how it exited', (detail, exit) => {
  const end = { how: 'crash', at: 7, detail };
  expect(upcast('agent', { agentId: 'ada', end }, 3)).toEqual({ agentId: 'ada', end: { ...end, ...exit } });
});
