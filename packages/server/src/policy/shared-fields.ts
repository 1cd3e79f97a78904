import {
  type BreakerPolicies,
  type BreakerPolicy,
  breakerDefaults,
  type FleetPolicy,
  fleetDefaults,
  healthMonitoringDefaults,
  isPrototypeName,
  refusedWithoutStore,
} from '@holter/core';
import { DAY_BUDGET_FIELDS, defaultDayBudget } from './budget-fields.ts';
import { channelsField, publicUrl } from './channel-fields.ts';
import { type Table, tableReader, type Values } from './check.ts';
import { databaseField } from './database-field.ts';
import { JUDGE_FIELDS, judgeDefaults } from './judge-fields.ts';
import { NETWORK_FIELDS, networkDefaults } from './network-fields.ts';
import { OPERATIONS_FIELDS, operationsDefaults } from './operations-fields.ts';
import { pricesField } from './price-fields.ts';
import { QUOTA_FIELDS, quotaDefaults } from './quota-fields.ts';
import { ranges } from './ranges.ts';
import { amount, count, duration, inSeconds, mapOf, oneOf } from './readers.ts';
import { TOWN_FIELDS, townDefaults } from './town-fields.ts';

/** Settings that are the same for all agents: channels, prices, breakers, quotas, the server itself, and the fleet. */

const breakerFields = {
  failure_threshold: count(ranges.breakerFailures),
  recovery_timeout_seconds: inSeconds(ranges.breakerTimeout),
  half_open_requests: count(ranges.breakerPermits),
} as const;

/** A breaker that is named may also count in another way than failures in a row. */
export const NAMED_BREAKER_FIELDS = {
  ...breakerFields,
  mode: oneOf<BreakerPolicy['mode']>(['consecutive', 'ratio', 'slow']),
  ratio: amount(ranges.share),
  minimum_calls: count(ranges.windowCalls),
  window_calls: count(ranges.windowCalls),
  slow_seconds: inSeconds(ranges.breakerTimeout),
} as const;

const breakerName = /^[A-Za-z0-9._:-]{1,64}$/;
const perMinute = amount(ranges.perMinute);
const burst = count(ranges.burst);

export const SHARED_FIELDS = {
  channels: channelsField,
  public_url: publicUrl,
  database: databaseField,
  ...NETWORK_FIELDS,
  prices: pricesField,
  ...DAY_BUDGET_FIELDS,
  'health_monitoring.circuit_breaker.default.failure_threshold': breakerFields.failure_threshold,
  'health_monitoring.circuit_breaker.default.recovery_timeout_seconds':
    breakerFields.recovery_timeout_seconds,
  'health_monitoring.circuit_breaker.default.half_open_requests': breakerFields.half_open_requests,
  'health_monitoring.circuit_breaker.overrides': mapOf(
    NAMED_BREAKER_FIELDS,
    (name) => breakerName.test(name) && !isPrototypeName(name),
    "a breaker's name (1 to 64 of A-Z a-z 0-9 . _ : -)",
  ),
  'fleet.brake.losses_min': count(ranges.brakeLosses),
  'fleet.brake.share': amount(ranges.share),
  'fleet.brake.calm': duration(ranges.brakeCalm),
  'fleet.brake.release_every': duration(ranges.brakeRelease),
  'fleet.budgets.nudge.per_minute': perMinute,
  'fleet.budgets.nudge.burst': burst,
  'fleet.budgets.notice.per_minute': perMinute,
  'fleet.budgets.notice.burst': burst,
  'fleet.budgets.start.per_minute': perMinute,
  'fleet.budgets.start.burst': burst,
  ...QUOTA_FIELDS,
  ...OPERATIONS_FIELDS,
  ...TOWN_FIELDS,
  ...JUDGE_FIELDS,
} as const satisfies Table;

export type SharedSettings = Values<typeof SHARED_FIELDS>;

export function defaultSharedSettings(): SharedSettings {
  const { circuit_breaker } = healthMonitoringDefaults;
  const read = tableReader(SHARED_FIELDS)({ health_monitoring: { circuit_breaker } }, '').value;
  const { brake, budgets } = fleetDefaults;
  return {
    ...(read?.values as SharedSettings),
    channels: new Map(),
    public_url: null,
    database: 'sqlite',
    ...networkDefaults,
    prices: [],
    ...defaultDayBudget,
    'fleet.brake.losses_min': brake.lossesMin,
    'fleet.brake.share': brake.share,
    'fleet.brake.calm': brake.calmMs,
    'fleet.brake.release_every': brake.releaseEveryMs,
    'fleet.budgets.nudge.per_minute': budgets.nudge.perMinute,
    'fleet.budgets.nudge.burst': budgets.nudge.burst,
    'fleet.budgets.notice.per_minute': budgets.notice.perMinute,
    'fleet.budgets.notice.burst': budgets.notice.burst,
    'fleet.budgets.start.per_minute': budgets.start.perMinute,
    'fleet.budgets.start.burst': budgets.start.burst,
    ...quotaDefaults,
    ...operationsDefaults,
    ...townDefaults,
    ...judgeDefaults,
  };
}

/** What was written, over what stands by default. A named breaker keeps what nobody said about it. */
export function overlayShared(base: SharedSettings, written: Partial<SharedSettings>): SharedSettings {
  const key = 'health_monitoring.circuit_breaker.overrides';
  const overrides = new Map(base[key]);
  for (const [name, entry] of written[key] ?? []) {
    const before = overrides.get(name);
    overrides.set(name, { ...entry, values: { ...before?.values, ...entry.values } });
  }
  return { ...base, ...written, [key]: overrides };
}

export function buildBreakers(settings: SharedSettings): BreakerPolicies {
  const base: BreakerPolicy = {
    ...breakerDefaults,
    whenStoreIsAway: 'pass',
    failuresMax: settings['health_monitoring.circuit_breaker.default.failure_threshold'],
    openMs: settings['health_monitoring.circuit_breaker.default.recovery_timeout_seconds'],
    halfOpenPermits: settings['health_monitoring.circuit_breaker.default.half_open_requests'],
  };
  const overrides = new Map<string, BreakerPolicy>();
  for (const [name, { values }] of settings['health_monitoring.circuit_breaker.overrides']) {
    const windowCalls = values.window_calls ?? base.windowCalls;
    overrides.set(name, {
      ...base,
      whenStoreIsAway: refusedWithoutStore.includes(name) ? 'refuse' : 'pass',
      failuresMax: values.failure_threshold ?? base.failuresMax,
      openMs: values.recovery_timeout_seconds ?? base.openMs,
      halfOpenPermits: values.half_open_requests ?? base.halfOpenPermits,
      mode: values.mode ?? base.mode,
      ratioMax: values.ratio ?? base.ratioMax,
      windowCalls,
      // More than the window holds would never be reached.
      volumeMin: Math.min(values.minimum_calls ?? base.volumeMin, windowCalls),
      slowMs: values.slow_seconds ?? base.slowMs,
    });
  }
  for (const name of refusedWithoutStore) {
    if (!overrides.has(name)) overrides.set(name, { ...base, whenStoreIsAway: 'refuse' });
  }
  return { default: base, overrides };
}

export function buildFleet(settings: SharedSettings): FleetPolicy {
  const budget = (of: 'nudge' | 'notice' | 'start') => ({
    perMinute: settings[`fleet.budgets.${of}.per_minute`],
    burst: settings[`fleet.budgets.${of}.burst`],
  });
  return {
    brake: {
      lossesMin: settings['fleet.brake.losses_min'],
      share: settings['fleet.brake.share'],
      calmMs: settings['fleet.brake.calm'],
      releaseEveryMs: settings['fleet.brake.release_every'],
    },
    budgets: { nudge: budget('nudge'), notice: budget('notice'), start: budget('start') },
  };
}
