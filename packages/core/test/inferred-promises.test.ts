import { describe, expect, test } from 'vitest';
import { instant, minutes, seconds } from '../src/base/time.ts';
import type { Registration } from '../src/transition/enroll.ts';
import type { SignalBody } from '../src/vocabulary/signal.ts';
import { Bench, policiesOf } from './kit.ts';

/** The default role: a beat every 5 minutes, 2 misses, 60 s of slack. */
const bench = (fields: Partial<Registration> = {}): Bench => new Bench({ role: 'default', ...fields });

const findingsOf = ({ agent }: Bench) =>
  agent.hard.derived.map(({ kind, severity }) => `${kind} ${severity}`);

const beat: SignalBody = { kind: 'heartbeat' };
const call: SignalBody = { kind: 'call-ended', callId: 'c', tool: 'bash', isError: false };
const checkpoint: SignalBody = { kind: 'checkpoint', checkpointId: 'cp', hash: 'h' };

describe('an agent that promised nothing', () => {
  test.each<[why: string, sign: SignalBody, after: number, found: string]>([
    ['its first beat', beat, minutes(11), 'missed-heartbeats warn'],
    ['its first call', call, minutes(15), 'silent warn'],
    ['its first checkpoint', checkpoint, minutes(30), 'checkpoint-stale warn'],
  ])('is judged from %s on', (_why, sign, after, found) => {
    const ada = bench();
    ada.advance(minutes(120));
    expect(findingsOf(ada)).toEqual([]);
    ada.signal(sign);
    ada.advance(after - 1);
    expect(findingsOf(ada)).toEqual([]);
    ada.advance(1);
    expect(findingsOf(ada)).toEqual([found]);
    expect(ada.agent.hard.health).toBe('DEGRADED');
  });

  test.each([beat, call, checkpoint])('is only warned about, for ever: $kind', (sign) => {
    const ada = bench({ taskId: 't1' });
    ada.signal(sign);
    const turns = ada.advance(minutes(60 * 24));
    expect(turns.flatMap(({ effects }) => effects)).toEqual([]);
    expect(ada.agent.hard).toMatchObject({ health: 'DEGRADED' });
    expect(ada.agent.hard.incident).toBeUndefined();
    expect(ada.agent.hard.unknownSince).toBeUndefined();
  });

  test('keeps an inferred promise by any sign of life', () => {
    const ada = bench({ taskId: 't1' });
    for (const sign of [beat, call, checkpoint]) ada.signal(sign);
    const seen: SignalBody = {
      kind: 'process',
      state: 'running',
      cpuMs: 0,
      ioBytes: 0,
      childrenAtWork: 0,
      memoryBytes: 0,
    };
    for (const [sign, origin] of [
      [beat, 'agent'],
      [{ kind: 'activity' }, 'agent'],
      [seen, 'holter'],
      [{ kind: 'pong' }, 'agent'],
    ] as const) {
      ada.advance(minutes(9));
      ada.signal(sign, origin);
    }
    ada.advance(minutes(9));
    expect(findingsOf(ada)).toEqual([]);
  });

  test('has no work between its tasks, once it has had one', () => {
    const ada = bench();
    ada.signal({ kind: 'task-assigned', taskId: 't1' });
    ada.signal(call);
    ada.signal({ kind: 'task-ended', taskId: 't1', outcome: 'done' });
    ada.advance(minutes(60));
    expect(findingsOf(ada)).toEqual([]);
  });
});

test('a role, heartbeat.interval_seconds and profiles imply the beat', () => {
  const overdueAfter = (role: string, raw: unknown): number => {
    const ada = new Bench({ role }, policiesOf(raw));
    ada.signal(beat);
    for (let waited = 1; waited < 10_000; waited++) {
      ada.advance(seconds(1));
      if (findingsOf(ada).length > 0) return waited;
    }
    return Number.POSITIVE_INFINITY;
  };
  expect(overdueAfter('critical-infrastructure', {})).toBe(68);
  const beats = { heartbeat: { interval_seconds: 20, timeout_seconds: 40 } };
  expect(overdueAfter('default', { health_monitoring: beats })).toBe(45);
  expect(overdueAfter('cook', { profiles: { cook: { interval_seconds: 10, missed_threshold: 3 } } })).toBe(
    33,
  );
});

test('a record of an earlier version keeps the promises that it had', () => {
  const ada = bench();
  const { inferred: _none, ...hard } = ada.agent.hard;
  ada.agent = { ...ada.agent, hard };
  for (const sign of [beat, call, checkpoint]) ada.signal(sign);
  ada.advance(minutes(60 * 24));
  expect(findingsOf(ada)).toEqual([]);
});

test('an agent that has made its promises is judged by those', () => {
  const ada = bench({ promises: { beatEveryMs: seconds(10), calls: { modelTimeoutMs: seconds(0) } } });
  for (const sign of [beat, call]) ada.signal(sign);
  expect(ada.agent.hard.inferred).toEqual({});
  ada.at = instant(ada.at + 1);
  ada.advance(seconds(13));
  expect(findingsOf(ada)).toEqual(['missed-heartbeats warn']);
});
