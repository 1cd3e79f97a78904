import { expect, test } from 'vitest';
import { Bench, policiesOf } from '../../test/kit.ts';
import { minutes } from '../base/time.ts';
import type { Registration } from '../transition/enroll.ts';
import { readyOf } from './ready.ts';

const RUN: Partial<Registration> = { executor: 'run:1', taskId: 't1' };

function ready(fields: Partial<Registration>, state: Parameters<typeof readyOf>[1] = 'connected') {
  const { agent, policy, at } = new Bench(fields);
  return readyOf({ hard: agent.hard, policy, at }, state);
}

test('each way to nudge an agent and to stop it has its name', () => {
  expect(ready({})).toEqual({
    nudge: { by: 'its next request', because: null },
    stop: { by: 'the agent itself, when asked', because: null },
    restarts: { left: 3, because: null },
  });
  expect(ready({ ...RUN, can: ['nudge', 'terminate', 'spawn', 'deny-call'] })).toEqual({
    nudge: { by: 'its hooks', because: null },
    stop: { by: 'its `holter run`', because: null },
    restarts: { left: 3, because: null },
  });
  expect(ready(RUN).nudge).toEqual({ by: 'its nudge file', because: null });
  expect(ready({ mode: 'nudge', can: [] })).toEqual({
    nudge: { by: null, because: 'nothing can nudge it' },
    stop: { by: null, because: 'Holter has no way to stop it' },
    restarts: { left: 0, because: 'Holter has no way to restart it' },
  });
});

test('a pane of tmux has its own words', () => {
  const pane: Partial<Registration> = { ...RUN, executor: 'run:tmux-1' };
  expect(ready(pane)).toMatchObject({
    nudge: { by: 'its prompt, in its pane' },
    stop: { by: 'its `holter tmux watch`' },
  });
  expect(ready(pane, 'away').restarts).toEqual({
    left: 0,
    because: 'its `holter tmux watch` is not connected',
  });
});

test('an executor that is not there starts nothing', () => {
  expect(ready(RUN, 'away')).toMatchObject({
    stop: { by: 'its `holter run`, when it is connected again' },
    restarts: { left: 0, because: 'its `holter run` is not connected' },
  });
  expect(ready(RUN, 'adopted')).toMatchObject({
    stop: { by: 'the server, because its `holter run` is gone' },
    restarts: { left: 0, because: 'its `holter run` is gone' },
  });
  expect(ready({}, 'none').restarts).toEqual({ left: 0, because: 'Holter has no way to restart it' });
});

test('the restarts left are those that the recovery step allows', () => {
  const policies = policiesOf({
    health_monitoring: { recovery: { max_attempts_per_task: 2, max_attempts_per_hour: 9 } },
  });
  const bench = new Bench({ taskId: 't1', promises: { tasks: true } }, policies);
  const left = () =>
    readyOf({ hard: bench.agent.hard, policy: bench.policy, at: bench.at }, 'connected').restarts;
  const seen = [left()];
  bench.signal({ kind: 'exited', code: 1 }, 'holter');
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const effects = bench.advance(minutes(attempt)).flatMap((turn) => turn.effects);
    const spawn = effects.find(({ kind }) => kind === 'spawn');
    if (!spawn) throw new Error(`no start ${attempt}`);
    bench.feed({ kind: 'receipt', effect: spawn, outcome: 'refused', detail: 'no' });
    seen.push(left());
  }
  expect(seen).toEqual([
    { left: 2, because: null },
    { left: 1, because: null },
    { left: 0, because: '2 attempts for this task, which is the limit' },
  ]);
  expect(bench.agent.hard.incident).toMatchObject({ step: 'human' });
});
