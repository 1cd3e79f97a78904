import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import type { Hard } from './agent.ts';
import { RECORD_VERSION, upcast } from './upcast.ts';

const finding = (kind: string) => ({ kind, severity: 'act', source: 'agent-reports', since: 7 });

test('findings of a kind that only a newer server knows are left out, and their incident leads to nothing', () => {
  const bench = new Bench();
  const { hard } = bench.agent;
  const told = {
    ...hard,
    points: [finding('same-error'), finding('of-the-future')],
    derived: [finding('of-the-future')],
    incident: { id: 'ada/2', cause: 'of-the-future', step: 'escalate', attempt: 1, phase: 'waiting' },
    past: { id: 'ada/1', cause: 'silent' },
  };
  const read = upcast('agent', told, RECORD_VERSION) as Hard;
  expect(read.points).toEqual([finding('same-error')]);
  expect(read.derived).toEqual([]);
  expect([read.incident?.cause, read.past?.cause]).toEqual(['operator', 'silent']);
  expect(upcast('agent', hard, RECORD_VERSION)).toBe(hard);
});
