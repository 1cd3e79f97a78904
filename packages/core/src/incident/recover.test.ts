import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { later, minutes } from '../base/time.ts';
import { type Breaker, closedBreaker } from '../breaker/breaker.ts';
import { RECOVERY_BREAKER } from '../rule/breaker-open.ts';

test('a start that the breaker holds back does not use up the budget of its group', () => {
  const bench = new Bench({ promises: { process: true, tasks: true }, taskId: 't1' });
  bench.advance(minutes(10));
  const open: Breaker = {
    ...closedBreaker,
    state: 'OPEN',
    openedAt: bench.at,
    openMs: minutes(30),
    trips: 1,
  };
  bench.agent = {
    ...bench.agent,
    hard: { ...bench.agent.hard, breakers: { [RECOVERY_BREAKER]: open } },
  };
  bench.signal({ kind: 'exited', code: 1 }, 'holter');
  const { budgets } = bench.fleet;
  bench.advance(minutes(5));
  expect(bench.agent.hard.incident).toMatchObject({
    ...{ step: 'recover', phase: 'due', notBefore: later(open.openedAt, open.openMs) },
  });
  expect(bench.fleet.budgets).toEqual(budgets);
  const turns = bench.advance(minutes(26));
  expect(turns.flatMap(({ effects }) => effects.map(({ kind }) => kind))).toContain('spawn');
  expect(bench.fleet.budgets).not.toEqual(budgets);
});
