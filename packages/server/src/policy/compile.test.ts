import {
  healthMonitoringDefaults,
  hours,
  minutes,
  type Policy,
  profileAliases,
  profileDefaults,
  ruleDefaults,
  seconds,
  slackOf,
} from '@holter/core';
import { describe, expect, test } from 'vitest';
import { alertsForGroup } from './alert-routes.ts';
import { type Compiled, compile, defaultPolicies } from './compile.ts';
import type { HolterConfig } from './config.ts';
import { type PolicySet, policyFor } from './policy-set.ts';

/** Typed, so that the shape that operators are promised is the shape that is read. */
function compiled(config: HolterConfig): PolicySet {
  const result = compile(config);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems, null, 1));
  return result.policies;
}

const plain = (set: PolicySet): Policy => policyFor(set, 'default', 'ada');

const problemsOf = (result: Compiled): readonly string[] =>
  result.kind === 'invalid' ? result.problems.map(({ path, message }) => `${path}: ${message}`) : [];

describe('without configuration', () => {
  test('the numbers of seed 000 hold', () => {
    expect(plain(defaultPolicies)).toMatchObject({
      isEnabled: true,
      beat: { intervalMs: minutes(5), missedMax: 2 },
      probeEveryMs: minutes(1),
      checkpoint: { warnMs: minutes(10), actMs: minutes(30) },
      silence: { warnMs: minutes(4), actMs: minutes(15) },
      nudge: { isEnabled: true, attemptsMax: 3, waitMs: minutes(10) },
      escalation: { waitMs: minutes(15), isUnattended: true },
      termination: { cleanupMs: seconds(30) },
      recovery: {
        isEnabled: true,
        attemptsPerTaskMax: 3,
        attemptsPerHourMax: 5,
        backoffMs: [minutes(1), minutes(2), minutes(4)],
        probationMs: minutes(15),
      },
      limits: { step: 'escalate' },
    });
    expect(defaultPolicies.breakers.default).toMatchObject({
      failuresMax: 3,
      openMs: minutes(1),
      halfOpenPermits: 1,
    });
    expect(defaultPolicies.breakers.overrides.get('tool_execution')).toMatchObject({
      failuresMax: 5,
      openMs: seconds(30),
      halfOpenPermits: 1,
    });
    const { stuck_agent, circuit_breaker_open, recovery_failed } = alertsForGroup(defaultPolicies, 'any');
    expect([stuck_agent, circuit_breaker_open, recovery_failed].map(({ severity }) => severity)).toEqual([
      'warning',
      'warning',
      'critical',
    ]);
  });

  test('no number is missing anywhere', () => {
    const isWhole = (value: unknown): boolean =>
      typeof value === 'object' && value !== null
        ? Object.values(value).every(isWhole)
        : value !== undefined && !Number.isNaN(value);
    for (const role of ['default', ...Object.keys(profileDefaults)]) {
      expect(isWhole(policyFor(defaultPolicies, role, 'ada'))).toBe(true);
    }
    expect(isWhole(defaultPolicies.fleet)).toBe(true);
  });

  test.each([
    ['critical-infrastructure', 30, 2, 7.5],
    ['active-development', 60, 3, 15],
    ['background', 300, 3, 60],
    ['standby', 900, 5, 60],
    ['in-process', 2, 2, 0],
    ['a role nobody knows', 300, 2, 60],
  ])('%s beats every %i s, %i missed, %i s of slack', (role, interval, missedMax, slack) => {
    const { beat } = policyFor(defaultPolicies, role, 'ada');
    expect(beat).toMatchObject({ intervalMs: seconds(interval), missedMax });
    expect(slackOf(beat.intervalMs, beat)).toBe(seconds(slack));
  });

  test('other names of a role mean the same, unless the operator has given them to another', () => {
    const beatOf = (raw: object, role: string) =>
      policyFor((compile(raw) as { policies: PolicySet }).policies, role, 'ada').beat;
    for (const [alias, role] of Object.entries(profileAliases))
      expect(beatOf({}, alias)).toEqual(beatOf({}, role));
    const slower = { profiles: { background: { interval_seconds: 600 } } };
    expect(beatOf(slower, 'batch-processing').intervalMs).toBe(seconds(600));
    const own = { profiles: { idle: { interval_seconds: 45 } } };
    expect(beatOf(own, 'idle')).toEqual(beatOf({ profiles: { other: { interval_seconds: 45 } } }, 'other'));
  });

  test('an empty file and empty sections are as good as none', () => {
    for (const raw of [
      undefined,
      null,
      {},
      { rules: null, profiles: null, health_monitoring: { heartbeat: null } },
    ]) {
      expect(plain((compile(raw) as { policies: PolicySet }).policies)).toEqual(plain(defaultPolicies));
    }
  });

  test("seed 000's own schema changes nothing", () => {
    expect(plain(compiled({ health_monitoring: healthMonitoringDefaults }))).toEqual(plain(defaultPolicies));
  });
});

describe('what an operator writes', () => {
  test('is compiled from human units', () => {
    const set = compiled({
      health_monitoring: {
        heartbeat: { interval_seconds: 30, timeout_seconds: '95s' },
        recovery: { backoff_seconds: [0, '90s'] },
      },
      rules: {
        silence_warn: '90s',
        silence_act: 600,
        hold_in_tool: '1d',
        error_rate_max: 0.5,
        unattended: false,
        freeze_step: 'terminate',
      },
      limits: {
        tokens_max: 1_000_000,
        cost_usd_max: 2.5,
        runtime_max: '2h',
        memory_max: '2GB',
        step: 'terminate',
      },
      fleet: { brake: { calm: '5m' }, budgets: { start: { burst: 3 } } },
    });
    expect(plain(set)).toMatchObject({
      beat: { intervalMs: 30_000, missedMax: 4, slack: { share: 0.25, minMs: 1_000, maxMs: 60_000 } },
      recovery: { backoffMs: [0, 90_000] },
      silence: { warnMs: 90_000, actMs: 600_000 },
      holdMsMax: { 'in-tool': hours(24) },
      failures: { rateMax: 0.5 },
      escalation: { isUnattended: false },
      freeze: { step: 'terminate' },
      limits: {
        tokensMax: 1_000_000,
        costUsdMax: 2.5,
        runtimeMsMax: hours(2),
        memoryBytesMax: 2e9,
        step: 'terminate',
      },
    });
    expect(set.fleet.brake.calmMs).toBe(minutes(5));
    expect(set.fleet.budgets.start).toEqual({ perMinute: 20, burst: 3 });
  });

  test('no attempts means never by itself', () => {
    const policy = plain(
      compiled({
        health_monitoring: {
          recovery: { max_attempts_per_task: 0 },
          intervention: { nudge: { max_attempts: 0 } },
        },
      }),
    );
    expect(policy.recovery.isEnabled).toBe(false);
    expect(policy.nudge.isEnabled).toBe(false);
  });

  test('a named breaker keeps what nobody said about it', () => {
    const { breakers } = compiled({
      health_monitoring: {
        circuit_breaker: {
          default: { half_open_requests: 2 },
          overrides: { tool_execution: { failure_threshold: 9 }, mine: {} },
        },
      },
    });
    expect(breakers.overrides.get('tool_execution')).toMatchObject({
      failuresMax: 9,
      openMs: seconds(30),
      halfOpenPermits: 2,
    });
    expect(breakers.overrides.get('mine')).toMatchObject({
      failuresMax: 3,
      openMs: minutes(1),
      halfOpenPermits: 2,
    });
  });

  test('a named breaker may count shares, and asks for no more calls than it remembers', () => {
    const overrides = {
      api: { mode: 'slow' as const, ratio: 0.4, window_calls: 8, minimum_calls: 20, slow_seconds: 2 },
    };
    const { breakers } = compiled({ health_monitoring: { circuit_breaker: { overrides } } });
    expect(breakers.overrides.get('api')).toMatchObject({
      mode: 'slow',
      ratioMax: 0.4,
      windowCalls: 8,
      volumeMin: 8,
      slowMs: seconds(2),
      failuresMax: 3,
    });
  });

  test('a default gives way, in proportion, to what was written', () => {
    const policy = plain(
      compiled({
        health_monitoring: { health_check: { checkpoint_stale_threshold_seconds: 300 } },
        rules: { silence_act: '90s', error_rate_max: 0.1, error_window_calls: 5, probation: '1m' },
      }),
    );
    expect(policy.checkpoint).toEqual({ warnMs: 100_000, actMs: 300_000 });
    expect(policy.silence).toEqual({ warnMs: 24_000, actMs: 90_000, probationActMs: 30_000 });
    expect(policy.failures.rateClear).toBeCloseTo(0.06);
    expect(policy.failures.callsMin).toBe(2);
  });
});

describe('problems', () => {
  test('are told all at once, each with its place and what is allowed', () => {
    const raw = {
      health_monitoring: {
        hartbeat: {},
        enabled: 'yes',
        heartbeat: { interval_seconds: 0 },
        recovery: { backoff_seconds: [60, 30, 'soon'], max_attempts_per_task: -1 },
        alerting: { stuck_agent: { severity: 'loud', channels: 'slack' } },
        circuit_breaker: { overrides: { tools: { failure_threshold: 0 } } },
      },
      rules: { silence_act: '2GB', error_rate_max: 2, freeze_step: 'kill', settle: null },
      limits: { memory_max: '5m' },
      fleet: [],
      silence_warn: '4m',
      agents: { 'a b': {}, ada: { missed_threshold: 101, rules: { probatoin: '5m' } } },
    };
    expect(problemsOf(compile(raw))).toMatchInlineSnapshot(`
      [
        "health_monitoring.hartbeat: is not a known key; did you mean heartbeat?",
        "health_monitoring.enabled: must be true or false, not "yes"",
        "health_monitoring.heartbeat.interval_seconds: must be 100ms to 1d, in seconds or with a unit (500ms, 90s, 15m, 2h, 1d), not 0",
        "health_monitoring.recovery.backoff_seconds[1]: must be at least the wait before it (1m), not 30",
        "health_monitoring.recovery.backoff_seconds[2]: must be 0s to 1d, in seconds or with a unit (500ms, 90s, 15m, 2h, 1d), not "soon"",
        "health_monitoring.recovery.max_attempts_per_task: must be a whole number from 0 to 20, not -1",
        "health_monitoring.alerting.stuck_agent.severity: must be one of info, warning, critical, not "loud"",
        "health_monitoring.alerting.stuck_agent.channels: must be all or a list of names of channels, not "slack"",
        "health_monitoring.circuit_breaker.overrides.tools.failure_threshold: must be a whole number from 1 to 1000, not 0",
        "rules.silence_act: must be 1ms to 30d, in seconds or with a unit (500ms, 90s, 15m, 2h, 1d), not "2GB"",
        "rules.error_rate_max: must be a number from 0 to 1, not 2",
        "rules.freeze_step: must be one of escalate, terminate, not "kill"",
        "rules.settle: must be 0s to 1h, in seconds or with a unit (500ms, 90s, 15m, 2h, 1d), not nothing",
        "limits.memory_max: must be 1MB to 1000TB, in bytes or with a unit (512MB, 2GB, 2GiB), not "5m"; none lifts it",
        "fleet: must be a section with keys (brake, budgets), not a list",
        "silence_warn: is not a known key; did you mean rules.silence_warn?",
        "agents.a b: is not a valid name; must be a name of 1 to 128 of A-Z a-z 0-9 . _ @ : -",
        "agents.ada.missed_threshold: must be a whole number from 1 to 100, not 101",
        "agents.ada.rules.probatoin: is not a known key; did you mean probation?",
      ]
    `);
  });

  test('a quota out of its range, or unknown, is told at its key', () => {
    const quotas = {
      per_agent: { checkpoint_bytes: '1MB', requests_per_second: 0, rows: 3 },
      per_token: { agents: 1.5 },
      streams: 'many',
    };
    expect(problemsOf(compile({ quotas }))).toMatchInlineSnapshot(`
      [
        "quotas.per_agent.checkpoint_bytes: must be 4MiB to 1TB, in bytes or with a unit (512MB, 2GB, 2GiB), not "1MB"",
        "quotas.per_agent.requests_per_second: must be a number from 1 to 1000000, not 0",
        "quotas.per_agent.rows: is not a known key; known here: checkpoint_bytes, checkpoints, tokens, starts_per_minute, audit_rows_per_minute, audit_bytes_per_minute, requests_per_second",
        "quotas.per_token.agents: must be a whole number from 1 to 1000000, not 1.5",
        "quotas.streams: must be a whole number from 1 to 10000, not "many"",
      ]
    `);
  });

  test.each<[string, HolterConfig, string]>([
    [
      'the time-out is shorter than the interval',
      { health_monitoring: { heartbeat: { interval_seconds: 300, timeout_seconds: 60 } } },
      'health_monitoring.heartbeat.timeout_seconds: must be at least health_monitoring.heartbeat.interval_seconds (300, config), not 60',
    ],
    [
      'only the interval is written, and it is longer than the time-out',
      { health_monitoring: { heartbeat: { interval_seconds: 900 } } },
      'health_monitoring.heartbeat.interval_seconds: must be at most health_monitoring.heartbeat.timeout_seconds (600, default), not 900',
    ],
    [
      'an agent would be warned less than a minute before it is stopped',
      { rules: { handoff_wait: '59s' } },
      'rules.handoff_wait: must be 1m to 7d, in seconds or with a unit (500ms, 90s, 15m, 2h, 1d), not "59s"',
    ],
    [
      'the time-out is too many intervals',
      { health_monitoring: { heartbeat: { interval_seconds: 1 } } },
      'health_monitoring.heartbeat.interval_seconds: the time-out must be 1 to 100 intervals, not 600: see health_monitoring.heartbeat.timeout_seconds (600, default)',
    ],
    [
      'a checkpoint would warn when it acts',
      { rules: { checkpoint_warn: '30m' } },
      'rules.checkpoint_warn: must be less than health_monitoring.health_check.checkpoint_stale_threshold_seconds (1800, default), not 30m',
    ],
    [
      'silence acts before it warns',
      { rules: { silence_warn: '10m', silence_act: '5m', silence_act_in_probation: '1m' } },
      'rules.silence_act: must be more than rules.silence_warn (10m, config), not 5m',
    ],
    [
      'a successor is watched less closely',
      { rules: { silence_act_in_probation: '16m', probation: '1h' } },
      'rules.silence_act_in_probation: must be at most rules.silence_act (15m, default), not 16m',
    ],
    [
      'silence outlasts the probation',
      { rules: { silence_act_in_probation: '5m', probation: '4m' } },
      'rules.probation: must be at least rules.silence_act_in_probation (5m, config), not 4m',
    ],
    [
      'the rate clears where it warns',
      { rules: { error_rate_clear: 0.25 } },
      'rules.error_rate_clear: must be less than rules.error_rate_max (0.25, default), not 0.25',
    ],
    [
      'more calls are needed than are kept',
      { rules: { error_calls_min: 30 } },
      'rules.error_calls_min: must be at most rules.error_window_calls (20, default), not 30',
    ],
    [
      'the slack crosses',
      { rules: { slack_min: '2m' } },
      'rules.slack_min: must be at most rules.slack_max (1m, default), not 2m',
    ],
    [
      'a profile crosses what is written for all',
      {
        rules: { silence_warn: '5m' },
        profiles: { eager: { rules: { silence_act: '4m', silence_act_in_probation: '1m' } } },
      },
      'profiles.eager.rules.silence_act: must be more than rules.silence_warn (5m, config), not 4m',
    ],
    [
      'an agent is wrong with every role',
      { agents: { ada: { rules: { silence_warn: '5m', silence_act: '5m' } } } },
      'agents.ada.rules.silence_act: must be more than rules.silence_warn (5m, agent ada), not 5m',
    ],
    [
      'one thing is said twice',
      { groups: { g: { interval_seconds: 60, health_monitoring: { heartbeat: { interval_seconds: 60 } } } } },
      'groups.g.interval_seconds: is given twice: see groups.g.health_monitoring.heartbeat.interval_seconds; keep one',
    ],
    [
      'misses and time-out contradict',
      { agents: { a: { missed_threshold: 3, health_monitoring: { heartbeat: { timeout_seconds: 600 } } } } },
      'agents.a.missed_threshold: says the same as agents.a.health_monitoring.heartbeat.timeout_seconds; keep one',
    ],
  ])('%s', (_, config, problem) => {
    expect(problemsOf(compile(config))).toEqual([problem]);
  });

  test('nothing is said about a relation to a value that could not be read', () => {
    const problems = problemsOf(compile({ rules: { silence_warn: 'long', silence_act: '1m' } }));
    expect(problems).toHaveLength(1);
  });

  test.each([7, 'yes', [], true])('a configuration that is %j is one problem', (raw) => {
    expect(problemsOf(compile(raw))).toHaveLength(1);
  });

  test('names of the prototype are not keys', () => {
    const raw: unknown = JSON.parse(
      '{"__proto__": {}, "agents": {"__proto__": {}, "constructor": {}}, "rules": {"toString": 1}}',
    );
    expect(problemsOf(compile(raw)).map((problem) => problem.split(':')[0])).toEqual([
      '__proto__',
      'agents.__proto__',
      'agents.constructor',
      'rules.toString',
    ]);
  });
});

test('every rule of the defaults can be set, but for the two that are not the operator’s here', () => {
  const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const unknown = Object.keys(ruleDefaults).filter((key) =>
    problemsOf(compile({ rules: { [snake(key)]: {} } })).some((problem) =>
      problem.includes('not a known key'),
    ),
  );
  expect(unknown).toEqual(['degradedProbeFactor', 'limitStep']);
});
