import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';

const worker = { promises: { process: true }, can: ['nudge', 'terminate', 'spawn'] } as const;

describe('an order to stop', () => {
  test('from a command line is deferred by the brake, unlike that of a person', () => {
    const bench = new Bench(worker);
    bench.fleet = {
      ...bench.fleet,
      brakes: { default: { losses: [], engagedAt: bench.at, massAt: bench.at } },
    };
    const given = { decision: 'terminate', by: '--on-lost end', reason: 'gone' } as const;
    bench.feed({ kind: 'decision', decision: { ...given, source: 'run' } });
    expect(bench.agent.hard.incident).toMatchObject({ step: 'terminate', phase: 'due' });
    const person = new Bench(worker);
    person.fleet = bench.fleet;
    person.feed({ kind: 'decision', decision: { ...given, by: 'olga' } });
    expect(person.agent.hard.incident).toMatchObject({ step: 'terminate', phase: 'acting' });
  });

  test('names its source and its reason in the effect', () => {
    const bench = new Bench(worker);
    const given = { decision: 'terminate', by: 'olga', reason: 'enough' } as const;
    const { effects } = bench.feed({ kind: 'decision', decision: given });
    expect(effects).toMatchObject([
      { kind: 'terminate', order: 'person', reason: 'ordered by olga: enough' },
    ]);
  });
});
