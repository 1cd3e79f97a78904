import { hours, type Instant, instant, minutes } from '@holter/core';
import { expect, it } from 'vitest';
import type { Estop } from '../engine/engine-options.ts';
import { compile } from '../policy/index.ts';
import { conditionsAt } from './conditions.ts';

const at = instant(hours(5));

function policies() {
  const channels = {
    ops: { type: 'command', argv: ['true'] },
    phone: { type: 'command', argv: ['true'] },
  };
  const compiled = compile({ channels });
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
  return compiled.policies;
}

const well = {
  agents: new Map(),
  brakes: [],
  health: {
    ...{ store: 'ok' as const, storeReason: null, graceShare: 0, lateServers: [] },
    lastTickAt: at as Instant | null,
    estop: null as Estop | null,
  },
  ping: null,
  hindrances: [],
  judge: null,
  policies: policies(),
  state: { channels: {}, windows: [] },
};

const unwell = (world: Partial<Parameters<typeof conditionsAt>[0]>) =>
  conditionsAt({ ...well, ...world }, at)
    .filter(({ topic }) => topic === 'holter_unwell')
    .map(({ key, channels }) => [key, ...channels]);

it('Holter is unwell when ticks are late, on one of several servers too, it looked away, or the outside ping fails', () => {
  expect(unwell({})).toEqual([]);
  expect(unwell({ health: { ...well.health, lastTickAt: instant(at - 11_000) } })).toEqual([
    ['holter_unwell/ticks', 'ops', 'phone'],
  ]);
  expect(unwell({ health: { ...well.health, graceShare: 0.11 } })).toEqual([
    ['holter_unwell/grace', 'ops', 'phone'],
  ]);
  const lateServers = [{ name: 'host-2', lateTicks: 5 }];
  expect(unwell({ health: { ...well.health, lateServers } })).toEqual([
    ['holter_unwell/server/host-2', 'ops', 'phone'],
  ]);
  const ping = { everyMs: minutes(1), okAt: null, triedAt: at, failures: 3, failure: 'it answered 404' };
  expect(unwell({ ping })).toEqual([['holter_unwell/ping', 'ops', 'phone']]);
});

it('tells at once and hourly that a person has stopped its acts', () => {
  const estop = { at: at - minutes(1), by: 'olga', reason: '' };
  expect(conditionsAt({ ...well, health: { ...well.health, estop } }, at)).toMatchObject([
    { key: 'holter_unwell/estop', isLasting: true, repeatMs: hours(1), since: estop.at },
  ]);
});

it('tells of a failing channel through the others', () => {
  const channels = { ops: { failures: 3, failedAt: at, failure: 'it answered 500' } };
  expect(unwell({ state: { channels, windows: [] } })).toEqual([['holter_unwell/channel/ops', 'phone']]);
});

it('leaves a brake to the alert about the mass failure for an hour, and an outage to its own alert', () => {
  const brake = (engagedAt: number) => [{ group: 'crew', engagedAt: instant(engagedAt), releaseAt: null }];
  expect(unwell({ brakes: brake(at - minutes(59)) })).toEqual([]);
  expect(unwell({ brakes: brake(at - hours(1)) })).toEqual([['holter_unwell/brake/crew', 'ops', 'phone']]);
  expect(unwell({ health: { ...well.health, store: 'unavailable' } })).toEqual([]);
});
