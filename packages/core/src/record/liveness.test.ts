import { describe, expect, test } from 'vitest';
import { Bench } from '../../test/kit.ts';
import { instant, milliseconds, minutes, seconds } from '../base/time.ts';
import { NO_STALLS } from '../vocabulary/stall.ts';
import type { Promises } from './agent.ts';
import {
  graceMaxOf,
  likelyCause,
  livenessOf,
  missDeadline,
  presenceOf,
  probeEveryOf,
  pulseOf,
} from './liveness.ts';
import { hasWork } from './work.ts';

describe('whose silence is judged', () => {
  test.each<[string, Promises, string, number]>([
    ['beats', { beatEveryMs: seconds(30) }, 'beats', 30],
    ['pongs', { pongs: true }, 'beats', 60],
    ['beats and a process', { beatEveryMs: seconds(30), process: true }, 'beats', 30],
    ['a process only', { process: true }, 'looks', 60],
    ['calls and turns', { calls: { modelTimeoutMs: milliseconds(0) }, turns: true }, 'none', 60],
    ['nothing', {}, 'none', 60],
  ])('%s', (_what, promises, pulse, graceSeconds) => {
    const { agent, policy } = new Bench({ promises });
    expect(pulseOf(agent.hard)).toBe(pulse);
    expect(graceMaxOf(agent.hard, policy)).toBe(graceSeconds * 1000);
  });

  test('an agent that promised neither is never missed', () => {
    const bench = new Bench({ promises: { calls: { modelTimeoutMs: milliseconds(0) }, turns: true } });
    bench.advance(minutes(10_000));
    expect(livenessOf(bench.agent.hard)).toBe('alive');
    expect(bench.agent.hard.derived).toEqual([]);
  });
});

describe('deadlines by role', () => {
  // role, interval it beats at, first miss, unknown, unknown when busy (all in seconds after the last beat)
  test.each([
    ['critical-infrastructure', 30, 37.5, 67.5, 127.5],
    ['active-development', 60, 75, 195, 375],
    ['background', 300, 360, 960, 1860],
    ['standby', 900, 960, 4560, 9060],
    ['default', 300, 360, 660, 1260],
    ['in-process', 2, 2, 4, 8],
  ])('%s beats every %i s', (role, every, firstMiss, unknown, unknownWhenBusy) => {
    const unknownAfter = (status?: 'busy'): number => {
      const bench = new Bench({ role, promises: { beatEveryMs: seconds(every) } });
      bench.signal({ kind: 'heartbeat', ...(status && { status }) });
      const from = bench.at;
      expect(missDeadline(bench.agent, 1, bench.policy, NO_STALLS) - from).toBe(
        (status ? unknownWhenBusy - unknown + firstMiss : firstMiss) * 1000,
      );
      while (livenessOf(bench.agent.hard) === 'alive') bench.advance(bench.agent.hard.wakeAt - bench.at);
      return (bench.at - from) / 1000;
    };
    expect(unknownAfter()).toBe(unknown);
    expect(unknownAfter('busy')).toBe(unknownWhenBusy);
  });

  test('one miss warns, the threshold asks, five minutes without an answer fail', () => {
    const bench = new Bench({ promises: { beatEveryMs: seconds(60) } });
    bench.signal({ kind: 'heartbeat' });
    const health = (): string => `${bench.agent.hard.health} ${livenessOf(bench.agent.hard)}`;
    bench.advance(seconds(75));
    expect(health()).toBe('DEGRADED alive');
    const asked = bench.advance(seconds(120));
    expect(health()).toBe('DEGRADED unknown');
    expect(asked.flatMap(({ effects }) => effects.map(({ kind }) => kind))).toEqual(['inquire']);
    bench.advance(minutes(5) - 1);
    expect(health()).toBe('DEGRADED unknown');
    bench.advance(1);
    expect(health()).toBe('FAILING unknown');
  });

  test.each([['heartbeat' as const], ['pong' as const], ['activity' as const], ['turn-begun' as const]])(
    'a %s is a sign of life',
    (kind) => {
      const bench = new Bench({ promises: { beatEveryMs: seconds(60) } });
      bench.advance(seconds(200));
      const { events } = bench.signal({ kind });
      expect(livenessOf(bench.agent.hard)).toBe('alive');
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'AGENT_RETURNED', payload: { agentId: 'ada', downtimeMs: 200_000 } }),
      );
    },
  );
});

test('adapters look four times as often while something is wrong', () => {
  const bench = new Bench({ promises: { beatEveryMs: seconds(60) } });
  const every = (): number => probeEveryOf(bench.agent.hard, bench.policy);
  expect(every()).toBe(seconds(60));
  bench.advance(seconds(75));
  expect(bench.agent.hard.health).toBe('DEGRADED');
  expect(every()).toBe(seconds(15));
  bench.signal({ kind: 'exited', code: 0 }, 'holter');
  expect(every()).toBe(seconds(60));
});

describe('what the silence most likely is', () => {
  const silent = (): Bench => new Bench({ promises: { beatEveryMs: seconds(60), process: true } });
  const look = {
    kind: 'process',
    state: 'running',
    cpuMs: 1,
    ioBytes: 1,
    childrenAtWork: 0,
    memoryBytes: 1,
  } as const;

  test.each<[string, (bench: Bench) => void]>([
    ['silence', () => {}],
    [
      'event-loop-freeze',
      (bench) => {
        bench.advance(1_000);
        bench.signal(look, 'holter');
      },
    ],
    [
      'suspended',
      (bench) => {
        bench.advance(1_000);
        bench.signal({ ...look, state: 'stopped' }, 'holter');
      },
    ],
    ['network-partition', (bench) => bench.signal({ kind: 'connection', state: 'closed' }, 'holter')],
    [
      'network-partition',
      (bench) => bench.signal({ kind: 'message-failed', messageId: 'm', code: 'timeout' }, 'holter'),
    ],
    ['process-crash', (bench) => bench.signal({ kind: 'exited', code: 1 }, 'holter')],
    ['stopped', (bench) => bench.signal({ kind: 'exited', code: 0 }, 'holter')],
  ])('%s', (cause, happens) => {
    const bench = silent();
    happens(bench);
    expect(likelyCause(bench.agent)).toBe(cause);
  });
});

describe('presence', () => {
  const presence = (bench: Bench): string =>
    presenceOf(bench.agent.hard, bench.at, hasWork(bench.agent.hard));
  const started = (): Bench => new Bench({ promises: { beatEveryMs: seconds(60), turns: true } });

  test.each<[string, (bench: Bench) => void]>([
    ['idle', () => {}],
    ['online', (bench) => bench.signal({ kind: 'turn-begun' })],
    ['busy', (bench) => bench.signal({ kind: 'call-begun', callId: 'c', tool: 'Bash' })],
    ['busy', (bench) => bench.signal({ kind: 'status', status: 'busy' })],
    ['idle', (bench) => bench.advance(minutes(10))],
    ['idle', (bench) => bench.signal({ kind: 'connection', state: 'closed' }, 'holter')],
    [
      'offline',
      (bench) => {
        bench.signal({ kind: 'connection', state: 'closed' }, 'holter');
        bench.advance(minutes(10));
      },
    ],
    ['offline', (bench) => bench.signal({ kind: 'exited', code: 0 }, 'holter')],
  ])('%s', (expected, happens) => {
    const bench = started();
    happens(bench);
    expect(presence(bench)).toBe(expected);
  });

  test('a payload dated in the future does not make the agent fresh', () => {
    const bench = started();
    bench.signal({ kind: 'heartbeat', timestamp: instant(bench.at + 1e9) });
    bench.advance(seconds(75));
    expect(bench.agent.hard.derived.map(({ kind }) => kind)).toEqual(['missed-heartbeats']);
  });
});
