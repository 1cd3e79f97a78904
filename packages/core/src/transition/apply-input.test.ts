import { describe, expect, test } from 'vitest';
import { Bench, deepFreeze, policiesOf } from '../../test/kit.ts';
import { instant, seconds } from '../base/time.ts';
import type { Effect } from '../vocabulary/effect.ts';
import type { SignalRejectionCode } from '../vocabulary/rejection.ts';
import type { Signal } from '../vocabulary/signal.ts';
import { applyInput } from './apply-input.ts';

const beats = { promises: { beatEveryMs: seconds(60) } };

describe('rejected signals', () => {
  const rows: readonly [
    string,
    Partial<Signal> & { readonly kind: Signal['kind'] },
    'agent' | 'holter',
    SignalRejectionCode,
  ][] = [
    ['another agent', { kind: 'heartbeat', agentId: 'bob' }, 'agent', 'other-agent'],
    ['an older incarnation', { kind: 'heartbeat', incarnation: 0 }, 'agent', 'stale-incarnation'],
    ['one that nobody gave out', { kind: 'heartbeat', incarnation: 9 }, 'agent', 'unknown-incarnation'],
    ['an exit from an agent', { kind: 'exited' }, 'agent', 'sensed-only'],
    ['a process from an agent', { kind: 'process' }, 'agent', 'sensed-only'],
    ['a connection from an agent', { kind: 'connection' }, 'agent', 'sensed-only'],
    ['a delivery from an agent', { kind: 'message-delivered' }, 'agent', 'sensed-only'],
    ['a failed delivery from an agent', { kind: 'message-failed' }, 'agent', 'sensed-only'],
    ['a finding from an agent', { kind: 'finding' }, 'agent', 'sensed-only'],
    ['a cleared finding from an agent', { kind: 'finding-cleared' }, 'agent', 'sensed-only'],
    [
      'a pause from an agent',
      { kind: 'hold-begun', hold: 'paused-by-operator' } as Signal,
      'agent',
      'operator-only',
    ],
    [
      'its end from an agent',
      { kind: 'hold-ended', hold: 'paused-by-operator' } as Signal,
      'agent',
      'operator-only',
    ],
  ];

  test.each(rows)('%s is recorded and changes nothing', (_what, fields, origin, code) => {
    const bench = new Bench(beats);
    const before = structuredClone(bench.agent);
    const signal = { agentId: 'ada', incarnation: 1, ...fields } as Signal;
    const after = applyInput(bench.agent, bench.inputOf({ kind: 'signal', origin, signal }), bench.policy);
    expect(after.agent).toEqual(before);
    expect(after).toMatchObject({ effects: [], asks: [], wakeAt: before.hard.wakeAt, rejection: { code } });
    expect(after.events).toEqual([
      {
        at: bench.at,
        incarnation: 1,
        type: 'SIGNAL_REJECTED',
        payload: { agentId: 'ada', kind: signal.kind, code, because: expect.any(String) },
      },
    ]);
  });

  test('no incarnation, from an agent that registered', () => {
    const bench = new Bench(beats);
    const after = applyInput(
      bench.agent,
      bench.inputOf({ kind: 'signal', origin: 'agent', signal: { agentId: 'ada', kind: 'heartbeat' } }),
      bench.policy,
    );
    expect(after.agent).toBe(bench.agent);
    expect(after.events).toMatchObject([{ type: 'SIGNAL_REJECTED' }]);
  });

  test('everything after the end, except the end of its task', () => {
    const bench = new Bench({ ...beats, taskId: 't1' });
    bench.signal({ kind: 'exited', code: 1 }, 'holter');
    const ended = bench.agent;
    bench.signal({ kind: 'heartbeat' });
    expect(bench.agent).toBe(ended);
    bench.signal({ kind: 'task-ended', taskId: 't1', outcome: 'done' });
    expect(bench.agent.hard.task).toBeUndefined();
    expect(bench.agent.hard.health).toBe('TERMINATED');
  });
});

describe('a plain beat', () => {
  test('copies only soft, and moves no timer', () => {
    const bench = new Bench(beats);
    bench.signal({ kind: 'heartbeat', tokenCount: 5 });
    const { hard } = bench.agent;
    bench.at = instant(bench.at + 20_000);
    const after = bench.signal({ kind: 'heartbeat', tokenCount: 7 });
    expect(after.agent.hard).toBe(hard);
    expect(after.agent.soft).toMatchObject({ beatAt: bench.at, tokens: 7 });
    expect(after.wakeAt).toBe(hard.wakeAt);
    expect(after.events.map(({ type }) => type)).toEqual(['AGENT_HEARTBEAT']);
  });

  test('that arrives out of order undoes nothing', () => {
    const bench = new Bench(beats);
    bench.at = instant(bench.at + 30_000);
    bench.signal({ kind: 'heartbeat', tokenCount: 100 });
    bench.at = instant(bench.at + 30_000);
    bench.signal({ kind: 'heartbeat', tokenCount: 200 });
    const { soft } = bench.agent;
    bench.at = instant(bench.at - 40_000);
    const after = bench.signal({ kind: 'heartbeat', tokenCount: 150 });
    expect(after.agent.soft).toEqual(soft);
    expect(after.events).toMatchObject([{ at: soft.beatAt }]);
  });

  test.each([
    ['another phase', { phase: 'testing' }],
    ['more errors', { errorCount: 3 }],
    ['busy', { status: 'busy' as const }],
    ['degraded', { status: 'degraded' as const }],
  ])('that says %s is a hard fact', (_what, fields) => {
    const bench = new Bench(beats);
    bench.signal({ kind: 'heartbeat' });
    const { hard } = bench.agent;
    bench.signal({ kind: 'heartbeat', ...fields });
    expect(bench.agent.hard).not.toBe(hard);
  });
});

describe('monitoring switched off', () => {
  test('judges nothing and drops pending steps', () => {
    const bench = new Bench(beats, policiesOf({ health_monitoring: { enabled: false } }));
    const before = bench.agent;
    bench.at = instant(bench.at + 1e9);
    expect(bench.feed({ kind: 'tick' })).toMatchObject({ events: [], effects: [] });
    const effect: Effect = {
      id: 'ada/1/terminate/1',
      agentId: 'ada',
      incarnation: 1,
      executor: null,
      livesBy: 'incident:ada/1',
      step: { incidentId: 'ada/1', step: 'terminate', attempt: 1 },
      kind: 'terminate',
      reason: 'it loops',
      order: null,
      cleanupMs: seconds(30),
    };
    const claim = bench.feed({ kind: 'claim', effect, evidence: {} });
    expect(claim.claim).toBe('cancelled');
    expect(bench.agent).toBe(before);
  });
});

describe('duplicates', () => {
  const call = { kind: 'call-ended', callId: 'c1', tool: 'Bash', isError: true } as const;

  test.each([
    ['the same id', { ...call, id: 'x' }, { ...call, id: 'x' }],
    ['the same call by another way', { ...call, id: 'hook' }, { ...call, id: 'transcript' }],
    [
      'what lies behind the mark',
      { ...call, channel: 'log', seq: 5 },
      { ...call, callId: 'c0', channel: 'log', seq: 4 },
    ],
    ['a begin that its end overtook', call, { kind: 'call-begun', callId: 'c1', tool: 'Bash' } as const],
  ])('%s counts once', (_what, first, second) => {
    const bench = new Bench(beats);
    bench.signal(first);
    const { agent } = bench;
    bench.signal(second);
    expect(bench.agent).toBe(agent);
  });

  test('the window and the marks are bounded', () => {
    const bench = new Bench(beats);
    for (let count = 0; count < 200; count++) bench.signal({ kind: 'blocker', text: 'x', id: `id-${count}` });
    for (let count = 0; count < 200; count++)
      bench.signal({ kind: 'activity', channel: `channel-${count % 9}`, seq: count });
    expect(bench.agent.hard.seen.length).toBe(32);
    expect(Object.keys(bench.agent.hard.highWater ?? {}).length).toBe(4);
  });
});

test('inputs are never mutated', () => {
  const bench = new Bench({ ...beats, taskId: 't1' });
  const input = deepFreeze(
    bench.inputOf({
      kind: 'signal',
      origin: 'agent',
      signal: { agentId: 'ada', incarnation: 1, kind: 'task-updated', taskId: 't1', percent: 4 },
    }),
  );
  const before = JSON.stringify([bench.agent, input]);
  applyInput(bench.agent, input, deepFreeze(bench.policy));
  expect(JSON.stringify([bench.agent, input])).toBe(before);
});
