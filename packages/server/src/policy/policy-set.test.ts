import { breakerFor, milliseconds, seconds, slackOf } from '@holter/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile, defaultPolicies } from './compile.ts';
import type { HolterConfig } from './config.ts';
import { crossings, explain, type PolicySet, policyFor } from './policy-set.ts';

function compiled(config: HolterConfig): PolicySet {
  const result = compile(config);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems, null, 1));
  return result.policies;
}

describe('policyFor', () => {
  const set = compiled({
    rules: { task_stall: '10m' },
    profiles: { background: { interval_seconds: 200, rules: { task_stall: '11m' } } },
    groups: { night: { rules: { task_stall: '12m', ack_low: '2h' } } },
    agents: { ada: { rules: { task_stall: '13m' }, limits: { tokens_max: 5 } } },
  });

  test.each([
    ['default', 'bob', undefined, 10],
    ['background', 'bob', undefined, 11],
    ['background', 'bob', 'night', 12],
    ['background', 'ada', 'night', 13],
    ['default', 'ada', undefined, 13],
    ['default', 'bob', 'unknown group', 10],
    ['toString', 'constructor', '__proto__', 10],
  ])('the narrower word wins: %s, %s, %s', (role, agentId, group, stallMinutes) => {
    expect(policyFor(set, role, agentId, group).taskStallMs).toBe(seconds(stallMinutes * 60));
  });

  test('layers are merged setting by setting', () => {
    const policy = policyFor(set, 'background', 'ada', 'night');
    expect(policy.ackMs.low).toBe(seconds(7_200));
    expect(policy.limits).toEqual({ tokensMax: 5, step: 'escalate' });
    // The written profile lies over the shipped one, which says 3 misses.
    expect(policy.beat).toMatchObject({ intervalMs: seconds(200), missedMax: 3 });
    expect(slackOf(policy.beat.intervalMs, policy.beat)).toBe(seconds(50));
  });

  test('agents that differ by nothing share one policy', () => {
    expect(policyFor(set, 'background', 'bob')).toBe(policyFor(set, 'background', 'eve'));
  });

  test('the narrower word about silence wins, whichever way it is said', () => {
    const beats = compiled({
      agents: {
        byTimeout: { health_monitoring: { heartbeat: { timeout_seconds: 1_500 } } },
        byCount: { missed_threshold: 7, slack_seconds: 3 },
      },
    });
    expect(policyFor(beats, 'background', 'byTimeout').beat.missedMax).toBe(5);
    const { beat } = policyFor(beats, 'background', 'byCount');
    expect(beat.missedMax).toBe(7);
    expect(slackOf(beat.intervalMs, beat)).toBe(seconds(3));
  });

  test('none lifts a limit', () => {
    const limited = compiled({
      limits: { tokens_max: 5, memory_max: '1GB' },
      agents: { big: { limits: { tokens_max: 'none' } } },
    });
    expect(policyFor(limited, 'default', 'big').limits).toEqual({ memoryBytesMax: 1e9, step: 'escalate' });
  });
});

describe('layers that cross', () => {
  const set = compiled({
    profiles: { patient: { rules: { silence_warn: '20m', silence_act: '40m' } } },
    agents: { eager: { rules: { silence_act: '10m' } } },
  });

  test('are sound by themselves, and read patiently together', () => {
    expect(policyFor(set, 'patient', 'eager').silence).toMatchObject({
      warnMs: seconds(1_200),
      actMs: seconds(1_200),
    });
    expect(policyFor(set, 'default', 'eager').silence).toMatchObject({
      warnMs: seconds(240),
      actMs: seconds(600),
    });
  });

  test('are told', () => {
    expect(crossings(set, 'default', 'eager')).toEqual([]);
    expect(crossings(set, 'patient', 'eager')).toEqual([
      'rules.silence_act must be more than rules.silence_warn (20m, profile patient), not 10m',
    ]);
  });

  test('never make Holter act before it warns', () => {
    const times = fc.record({
      warn: fc.integer({ min: 1, max: 5_000 }),
      act: fc.integer({ min: 1, max: 5_000 }),
    });
    fc.assert(
      fc.property(times, times, ({ warn, act }, { act: actOfAgent }) => {
        fc.pre(warn < act);
        const result = compile({
          profiles: {
            p: { rules: { silence_warn: warn, silence_act: act, silence_act_in_probation: '1ms' } },
          },
          agents: { a: { rules: { silence_act: actOfAgent, silence_act_in_probation: '1ms' } } },
        });
        if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
        const { silence } = policyFor(result.policies, 'p', 'a');
        expect(silence.warnMs).toBeLessThanOrEqual(silence.actMs);
      }),
    );
  });
});

describe('explain', () => {
  const set = compiled({
    health_monitoring: { alerting: { stuck_agent: { severity: 'info' } } },
    rules: { settle: '30s' },
    groups: { night: { rules: { ack_low: '2h' } } },
    agents: { ada: { limits: { memory_max: '2GB' } } },
  });
  const of = (path: string) => explain(set, 'background', 'ada', 'night').find((row) => row.path === path);

  test.each([
    ['health_monitoring.health_check.interval_seconds', 60, 'default'],
    ['health_monitoring.heartbeat.interval_seconds', 300, 'profile background'],
    ['missed_threshold', 3, 'profile background'],
    ['slack_seconds', 60, 'profile background'],
    ['rules.settle', '30s', 'config'],
    ['rules.ack_low', '2h', 'group night'],
    ['limits.memory_max', '2GB', 'agent ada'],
    ['limits.tokens_max', 'none', 'default'],
    ['health_monitoring.recovery.backoff_seconds', [60, 120, 240], 'default'],
    ['health_monitoring.alerting.stuck_agent.severity', 'info', 'config'],
    ['fleet.brake.calm', '2m', 'default'],
  ])('%s is %j, from %s', (path, value, from) => {
    expect(of(path)).toEqual({ path, value, from });
  });

  test('shows what can be written: pasted back, it means the same', () => {
    const raw: Record<string, unknown> = {};
    for (const { path, value } of explain(set, 'default', 'bob')) {
      const keys = path.split('.');
      if (keys.length === 1) continue;
      let node = raw;
      for (const key of keys.slice(0, -1)) {
        node[key] ??= {};
        node = node[key] as Record<string, unknown>;
      }
      node[keys.at(-1) ?? ''] = value;
    }
    const again = compile(raw);
    if (again.kind === 'invalid') throw new Error(JSON.stringify(again.problems));
    expect(policyFor(again.policies, 'default', 'bob')).toEqual(policyFor(set, 'default', 'bob'));
    expect(again.policies.breakers).toEqual(set.breakers);
    expect(again.policies.fleet).toEqual(set.fleet);
  });
});

test('a breaker nobody named follows the default', () => {
  expect(breakerFor(defaultPolicies, 'external_api')).toBe(defaultPolicies.breakers.default);
  expect(breakerFor(defaultPolicies, 'checkpoint_write').openMs).toBe(milliseconds(120_000));
});
