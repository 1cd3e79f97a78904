import { expect, test } from 'vitest';
import { upcast } from './upcast.ts';

test('a hold of version 2 counts as declared by the agent, unless only Holter could have begun it', () => {
  const hold = (kind: string) => ({ kind, since: 5 });
  const hard = { agentId: 'ada', holds: [hold('asleep'), hold('in-tool'), hold('paused-by-operator')] };
  expect(upcast('agent', hard, 2)).toEqual({
    agentId: 'ada',
    holds: [{ ...hold('asleep'), isOwnWord: true }, hold('in-tool'), hold('paused-by-operator')],
  });
});
