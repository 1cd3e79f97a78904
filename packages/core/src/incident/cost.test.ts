import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { minutes } from '../base/time.ts';
import type { Transition } from '../transition/transition.ts';

const closed = (turns: readonly Transition[]): unknown =>
  turns.flatMap(({ events }) => events).find(({ type }) => type === 'INCIDENT_CLOSED')?.payload;

test('an incident costs what the counters grow by while it is open, over all incarnations', () => {
  const bench = new Bench({ promises: { process: true } });
  bench.signal({ kind: 'tokens', total: 1_000, costUsd: 0.3 });
  bench.signal({ kind: 'exited', code: 1 }, 'holter');
  bench.advance(minutes(1));
  const spawnKey = bench.claimSpawn();
  expect(bench.register({ instanceId: 'ada-2', spawnKey })).toBe(true);
  bench.signal({ kind: 'tokens', total: 400, costUsd: 0.1 });
  expect(closed(bench.advance(minutes(20)))).toMatchObject({
    incidentId: 'ada/1',
    tokens: 400,
    costUsd: 0.1,
  });
});

test('usage before it is not part of its cost', () => {
  const bench = new Bench();
  bench.signal({ kind: 'tokens', total: 1_000, costUsd: 0.7 });
  bench.feed({ kind: 'decision', decision: { decision: 'nudge', by: 'olga', reason: 'because' } });
  bench.signal({ kind: 'tokens', total: 1_250, costUsd: 0.8 });
  expect(closed(bench.advance(minutes(11)))).toMatchObject({ tokens: 250, costUsd: 0.1 });
});
