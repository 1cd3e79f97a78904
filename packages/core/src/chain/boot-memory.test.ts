import { describe, expect, it } from 'vitest';
import { instant, minutes } from '../base/time.ts';
import { type BootMemory, processEvidence, remember, whyNotRestart } from './boot-memory.ts';
import { freshnessOf, type HeartbeatReading } from './freshness.ts';

type ProcessSample = Parameters<typeof processEvidence>[1];

const sample = (more: Partial<ProcessSample>): ProcessSample => ({
  incarnation: 'a',
  at: 0,
  cpuMs: 1_000,
  isStopped: false,
  ...more,
});
const MINUTES = 60_000;

describe('the evidence of the processes of the Deacon', () => {
  it.each<[string, string, Partial<ProcessSample> | null, Partial<ProcessSample>]>([
    ['unknown', 'one look', null, {}],
    ['unknown', 'looks at two runs', { incarnation: 'b' }, {}],
    ['unknown', 'two looks at once', { at: 3 * MINUTES }, {}],
    ['unknown', 'looks that are far apart, as after a sleep', { at: -20 * MINUTES }, {}],
    ['unknown', 'a CPU time that can not be read', {}, { cpuMs: null }],
    ['unknown', 'stopped just now', {}, { isStopped: true }],
    ['unknown', 'stopped until just now', { isStopped: true }, {}],
    ['stopped', 'stopped at both', { isStopped: true }, { isStopped: true }],
    ['idle', 'no CPU time between them', {}, {}],
    ['idle', 'timers of a runtime', {}, { cpuMs: 1_900 }],
    ['busy', 'a spinner', {}, { cpuMs: 1_901 }],
    ['busy', 'processes that have ended between them', {}, { cpuMs: 500 }],
  ])('%s: %s', (evidence, _, before, after) => {
    expect(processEvidence(before && sample(before), sample({ at: 3 * MINUTES, ...after }))).toBe(evidence);
  });
});

describe('what Boot remembers of a run', () => {
  const T0 = instant(1_000_000_000);
  const run = { incarnation: 'a', startedAt: instant(T0 - minutes(600)) };
  const silent = { incarnation: 'a', cpuMs: 0, isStopped: false };
  const at = (ms: number) => instant(T0 + ms);
  const beat = (ms: number): HeartbeatReading => ({
    kind: 'read',
    heartbeat: { at: at(ms), incarnation: 'a' },
  });
  const torn: HeartbeatReading = { kind: 'unreadable', because: 'it is not JSON' };
  const known = (more: Partial<BootMemory>): BootMemory & { at: ReturnType<typeof at> } => ({
    ...{
      ...silent,
      heartbeatAt: T0,
      wakes: 2,
      unsent: 1,
      wakeTriedAt: at(minutes(20)),
      unknownSince: null,
      limitedUntil: at(minutes(90)),
      isTold: true,
      at: at(minutes(20)),
    },
    ...more,
  });
  const seen = (ms: number, reading: HeartbeatReading, incarnation = 'a') => {
    const freshness = freshnessOf(reading, { ...run, incarnation }, at(ms));
    return { at: at(ms), reading, freshness, limitedUntil: null };
  };

  it('counts WAKEs for one heartbeat of one run', () => {
    const wakesAt = (ms: number, reading: HeartbeatReading, incarnation = 'a') =>
      remember(known({}), { ...silent, incarnation }, seen(ms, reading, incarnation)).memory.wakes;
    expect(wakesAt(minutes(23), beat(0))).toBe(2);
    expect(wakesAt(minutes(23), torn)).toBe(2);
    // It came back between two triages, and is silent again.
    expect(wakesAt(minutes(40), beat(minutes(21)))).toBe(0);
    expect(wakesAt(minutes(23), beat(minutes(22)))).toBe(0);
    expect(wakesAt(minutes(23), beat(0), 'b')).toBe(0);
  });

  it('knows how long ago it was woken, also when the clock was set back', () => {
    const sinceWakeAt = (ms: number, reading: HeartbeatReading) =>
      remember(known({}), silent, seen(ms, reading)).sinceWakeMs;
    expect(sinceWakeAt(minutes(23), beat(0))).toBe(minutes(3));
    expect(sinceWakeAt(minutes(17), beat(0))).toBe(0);
    expect(sinceWakeAt(minutes(23), beat(minutes(22)))).toBeNull();
  });

  it('knows a usage limit, also while nobody can be asked', () => {
    const limitedMs = (limitedUntil: number | null | undefined) =>
      remember(known({}), silent, { ...seen(minutes(30), beat(0)), limitedUntil }).limitedMs;
    expect([limitedMs(undefined), limitedMs(null), limitedMs(at(minutes(40))), limitedMs(at(0))]).toEqual([
      minutes(60),
      0,
      minutes(10),
      0,
    ]);
  });

  it('tells the overseer again only after a fresh heartbeat', () => {
    const toldAt = (ms: number, reading: HeartbeatReading) =>
      remember(known({}), silent, seen(ms, reading)).memory.isTold;
    expect([toldAt(minutes(40), beat(minutes(21))), toldAt(minutes(23), beat(minutes(22)))]).toEqual([
      true,
      false,
    ]);
  });

  it('counts the time for which a heartbeat can not be read, also when the clock was set back', () => {
    const unknownMs = (unknownSince: number | null) =>
      remember(known({ unknownSince }), silent, seen(minutes(23), torn)).unknownMs;
    expect(unknownMs(null)).toBe(0);
    expect(unknownMs(T0)).toBe(minutes(23));
    expect(unknownMs(at(minutes(90)))).toBe(0);
  });
});

describe('a restart that was decided', () => {
  const sample = { incarnation: 'a', cpuMs: 1_000, isStopped: false, at: 0 };
  const again = { ...sample, at: minutes(3) };

  it('is carried out while its process is as idle or stopped as it was', () => {
    expect(whyNotRestart(sample, again, false)).toBeNull();
    const stopped = { isStopped: true, cpuMs: null };
    expect(whyNotRestart({ ...sample, ...stopped }, { ...again, ...stopped }, false)).toBeNull();
  });

  it.each([
    ['it works again', sample, { ...again, cpuMs: 3_000 }, false, 'its process is at work again'],
    ['it asks', sample, again, true, 'it waits for a person'],
    ['it was not looked at before', null, again, false, 'nothing is known about its process'],
    ['it goes on', { ...sample, isStopped: true }, { ...again, cpuMs: null }, false, 'nothing is known'],
  ])('is left when %s', (_, before, now, isAsking, because) => {
    expect(whyNotRestart(before, now, isAsking)).toContain(because);
  });
});
