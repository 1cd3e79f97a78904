import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { minutes } from '../base/time.ts';
import type { Registration } from '../transition/enroll.ts';
import { failureOf } from './failure.ts';

const beats = { beatEveryMs: minutes(1) };

const failure = (bench: Bench) => failureOf(bench.agent, bench.policy, bench.at);

function heardOnce(fields: Partial<Registration> = {}): Bench {
  const bench = new Bench({ promises: beats, ...fields });
  bench.signal({ kind: 'heartbeat' });
  return bench;
}

describe('the class of a failure and its strategy', () => {
  test.each([
    [1, null, null, null],
    [4, 'transient', 'wait', 'holter'],
    [9, 'recoverable', 'wake', 'person'],
    [30, 'recoverable', 'replace', 'person'],
    [125, 'terminal', 'replace', 'person'],
  ])('an agent elsewhere that is silent for %i min: %s, %s by %s', (silent, kind, strategy, by) => {
    const bench = heardOnce();
    for (let minute = 0; minute < silent; minute += 1) bench.advance(minutes(1));
    expect(failure(bench)).toEqual(kind && { kind, strategy, by, because: expect.any(String) });
  });

  test.each<[string, Partial<Registration>]>([
    ['it is asked when it calls', { executor: null }],
    ['it has been asked', { executor: null, promises: { pongs: true } }],
    ['it has been asked', { executor: 'run:ada' }],
  ])('while it may still answer: %s, with %o', (asked, fields) => {
    const bench = heardOnce(fields);
    for (let minute = 0; minute < 4; minute += 1) bench.advance(minutes(1));
    expect(failure(bench)?.because).toMatch(new RegExp(`; ${asked} and may still answer$`));
  });

  test('heard again, it was transient', () => {
    const bench = heardOnce();
    for (let minute = 0; minute < 10; minute += 1) bench.advance(minutes(1));
    bench.signal({ kind: 'pong' });
    expect(failure(bench)).toMatchObject({ kind: 'transient', because: 'it is heard again' });
  });

  test('an agent that hibernates has not failed', () => {
    const bench = heardOnce();
    bench.signal({ kind: 'hold-begun', hold: 'hibernated' });
    for (let minute = 0; minute < 200; minute += 1) bench.advance(minutes(1));
    expect(failure(bench)).toBeNull();
    expect(bench.agent.hard.incident).toBeUndefined();
  });

  test('a crash is restarted while Holter may, and is terminal when nothing can start it', () => {
    const bench = new Bench({ promises: { process: true } });
    bench.signal({ kind: 'exited', code: 1 }, 'holter');
    expect(failure(bench)).toMatchObject({ kind: 'recoverable', strategy: 'hard-restart', by: 'holter' });
    const observed = new Bench({ promises: { process: true }, mode: 'observe' });
    observed.signal({ kind: 'exited', code: 1 }, 'holter');
    expect(failure(observed)).toMatchObject({ kind: 'terminal', strategy: 'replace', by: 'person' });
  });

  test('one that says that it cannot continue is asked for a handoff first', () => {
    const bench = heardOnce();
    bench.signal({ kind: 'error', message: 'no disk space', isUnrecoverable: true });
    expect(failure(bench)).toMatchObject({ kind: 'recoverable', strategy: 'soft-restart', by: 'person' });
    expect(failure(bench)?.because).toMatch(/^it says that it cannot go on/);
  });
});

test('a replacement is approved by a person, not by a program', () => {
  const bench = heardOnce();
  for (let minute = 0; minute < 9; minute += 1) bench.advance(minutes(1));
  const decision = { decision: 'replace', by: 'a run', reason: 'gone' } as const;
  bench.feed({ kind: 'decision', decision: { ...decision, source: 'run' } });
  expect(bench.agent.hard.end).toBeUndefined();
  bench.feed({ kind: 'decision', decision });
  expect(bench.agent.hard.end).toMatchObject({ detail: expect.stringContaining('given up') });
  expect(bench.agent.hard.incident?.step).toBe('recover');
});
