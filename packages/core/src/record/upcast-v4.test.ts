import { expect, test } from 'vitest';
import { upcast } from './upcast.ts';

test('an escalation of version 3 was noticed when its wait began', () => {
  const incident = { id: 'ada/1', step: 'escalate', phase: 'waiting', wait: { at: 7 } };
  expect(upcast('agent', { agentId: 'ada', incident }, 3)).toEqual({
    agentId: 'ada',
    incident: { ...incident, noticedAt: 7 },
  });
});

test('an escalation of version 3 that was not shown to anybody keeps waiting until it is', () => {
  const hard = { agentId: 'ada', incident: { id: 'ada/1', step: 'escalate', phase: 'waiting' } };
  expect(upcast('agent', hard, 3)).toEqual(hard);
});
