import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';

const inPane = { promises: { process: true }, can: ['nudge', 'terminate', 'spawn'] } as const;
const looks = { cpuMs: 0, ioBytes: 0, childrenAtWork: 0, memoryBytes: 0 } as const;
const gone = { kind: 'process', state: 'gone', ...looks } as const;

test('an agent that was lost together with its place has no incident of its own, and counts for the brake', () => {
  const bench = new Bench(inPane);
  const lost = ['ada', 'bob', 'eve', 'kim'].map((agentId) => {
    const other = new Bench({ ...inPane, agentId });
    other.fleet = bench.fleet;
    const { events } = other.signal({ ...gone, isPlaceGone: true }, 'holter');
    bench.fleet = other.fleet;
    expect(other.agent.hard.incident).toBeUndefined();
    return events.some(({ type }) => type === 'MASS_FAILURE');
  });
  expect(lost).toEqual([false, false, false, true]);
});

test('without that word it is brought back', () => {
  const bench = new Bench(inPane);
  bench.signal(gone, 'holter');
  expect(bench.agent.hard.incident).toMatchObject({ cause: 'process-gone', step: 'recover' });
});
