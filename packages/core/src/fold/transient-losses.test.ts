import { expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { minutes } from '../base/time.ts';

/** Silent until it is unknown whether it lives, and then heard again; returns what people are told. */
function loseAndReturn(bench: Bench, silentMs: number): readonly string[] {
  const turns = [...bench.advance(silentMs), bench.signal({ kind: 'heartbeat', status: 'healthy' })];
  const effects = turns.flatMap((turn) => turn.effects);
  return effects.flatMap((effect) => (effect.kind === 'notify' ? [effect.message] : []));
}

const heard = (): Bench => {
  const bench = new Bench({ promises: { beatEveryMs: minutes(1) } });
  bench.signal({ kind: 'heartbeat' });
  return bench;
};

const TOLD = 'ada was lost 3 times within an hour and was heard again each time.';

test('of three transient losses within an hour a person is told, once', () => {
  const bench = heard();
  expect(loseAndReturn(bench, minutes(4))).toEqual([]);
  expect(loseAndReturn(bench, minutes(4))).toEqual([]);
  expect(loseAndReturn(bench, minutes(4))).toEqual([expect.stringContaining(TOLD)]);
  expect(bench.agent.hard).toMatchObject({ health: expect.stringMatching(/HEALTHY|DEGRADED/) });
  expect(bench.agent.hard.incident).toBeUndefined();
  for (let loss = 0; loss < 9; loss += 1) expect(loseAndReturn(bench, minutes(4))).toEqual([]);
});

test('again of those that go on for longer than an hour', () => {
  const bench = heard();
  const told = Array.from({ length: 30 }, () => loseAndReturn(bench, minutes(4))).flat();
  expect(told).toEqual([expect.stringContaining(TOLD), expect.stringContaining(TOLD)]);
});

test('not of three that are further apart, nor of one that people know as a failure', () => {
  const bench = heard();
  const steady = (): void => {
    for (let minute = 0; minute < 30; minute += 1) {
      bench.advance(minutes(1));
      bench.signal({ kind: 'heartbeat' });
    }
  };
  for (let loss = 0; loss < 4; loss += 1) {
    expect(loseAndReturn(bench, minutes(4))).toEqual([]);
    steady();
  }
  const failed = heard();
  loseAndReturn(failed, minutes(4));
  expect(loseAndReturn(failed, minutes(10))).toEqual([expect.stringContaining('needs a decision')]);
  expect(loseAndReturn(failed, minutes(4))).toEqual([]);
});

test('nor while it is snoozed, or hibernates', () => {
  const snoozed = heard();
  snoozed.feed({
    kind: 'decision',
    decision: { decision: 'allow_more_time', forMs: minutes(60), by: 'olga', reason: 'moving house' },
  });
  const asleep = heard();
  for (let loss = 0; loss < 4; loss += 1) {
    expect(loseAndReturn(snoozed, minutes(4))).toEqual([]);
    asleep.signal({ kind: 'hold-begun', hold: 'hibernated' });
    expect(loseAndReturn(asleep, minutes(4))).toEqual([]);
  }
});
