import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import type { Hard } from './agent.ts';
import { downcast, upcast } from './upcast.ts';

const ack = (at: number, facts: object = {}) => ({
  idHash: at,
  priority: 'urgent',
  delivered: { at, held: { anyMs: 0, outsideToolMs: 0 } },
  ...facts,
});

test.each([
  ['was reminded of', { isReminded: true }, []],
  ['was found to be late with', {}, [{ kind: 'ack-overdue', severity: 'act', since: 7 }]],
  ['of a later server of version 4 is late with', { isOverdue: true }, []],
])('a letter that an agent %s is overdue already', (_what, facts, derived) => {
  const upgraded = upcast('agent', { agentId: 'ada', derived, acks: [ack(7, facts), ack(8)] }, 4);
  expect(upgraded?.acks).toEqual([ack(7, { isOverdue: true }), ack(8)]);
});

const opinion = {
  kind: 'ticket',
  severity: 'act',
  source: 'judge',
  since: 7,
  evidence: 'high ticket: it goes in circles',
  threshold: 'as the judge decides',
};

test('servers of version 4 are given no finding that they do not know, and no cause', () => {
  const { hard } = new Bench().agent;
  const told = {
    ...hard,
    acks: [ack(7, { isOverdue: true }), ack(8)],
    points: [{ ...opinion, kind: 'same-error' }, opinion],
    incident: { id: 'ada/2', cause: 'ticket', step: 'escalate' },
    past: { id: 'ada/1', cause: 'ticket' },
  } as unknown as Hard;
  const older = downcast('agent', told, 4) as Hard;
  expect(older.points.map(({ kind }) => kind)).toEqual(['same-error']);
  expect([older.incident?.cause, older.past?.cause]).toEqual(['blocker', 'blocker']);
  expect(older.acks?.map((each) => Object.hasOwn(each, 'isReminded'))).toEqual([true, false]);

  expect(upcast('agent', older, 4)).toEqual({ ...told, points: older.points });
});
