import { describe, expect, it } from 'vitest';
import { type Instant, instant, minutes } from '../base/time.ts';
import { freshnessOf, type HeartbeatReading, unwatchedSilence } from './freshness.ts';

const NOW = instant(1_000_000_000);
const ago = (ms: number): Instant => instant(NOW - ms);
const run = { incarnation: 'b', startedAt: ago(minutes(60)) };
const beat = (ageMs: number, incarnation: string | null = 'b'): HeartbeatReading => ({
  kind: 'read',
  heartbeat: { at: ago(ageMs), incarnation },
});

describe('the freshness of a heartbeat', () => {
  it.each([
    [0, 'fresh'],
    [minutes(5) - 1, 'fresh'],
    [minutes(5), 'stale'],
    [minutes(15) - 1, 'stale'],
    [minutes(15), 'very-stale'],
    [minutes(59), 'very-stale'],
  ])('%i ms old is %s', (ageMs, kind) => {
    expect(freshnessOf(beat(ageMs), run, NOW).kind).toBe(kind);
  });

  it.each([
    ['torn', { kind: 'unreadable', because: 'it is not JSON' } as const],
    ['future-dated', beat(-1)],
  ])('of a %s file is unknown', (_, reading) => {
    expect(freshnessOf(reading, run, NOW).kind).toBe('unknown');
  });

  it.each([
    ['the file of a predecessor', beat(minutes(40), 'a')],
    ['no file', { kind: 'none' } as const],
    ['a file from before its start that names no run', beat(minutes(40), null)],
  ])('with %s counts from the start of the run', (_, reading) => {
    const startedAgo = (ms: number) => ({ incarnation: 'b', startedAt: ago(ms) });
    expect(freshnessOf(reading, startedAgo(minutes(4)), NOW)).toMatchObject({
      kind: 'fresh',
      evidence: 'it has written no heartbeat since its start 4 min ago',
    });
    expect(freshnessOf(reading, startedAgo(minutes(16)), NOW).kind).toBe('very-stale');
  });

  it('of a run that names itself nowhere counts from its heartbeat', () => {
    expect(freshnessOf(beat(minutes(6), null), run, NOW)).toMatchObject({
      kind: 'stale',
      evidence: 'its heartbeat is 6 min old',
    });
  });

  it('is unknown without a heartbeat and without a start', () => {
    expect(freshnessOf({ kind: 'none' }, { incarnation: 'b', startedAt: null }, NOW).kind).toBe('unknown');
  });
});

describe('a silence that Boot does not see', () => {
  const veryStale = {
    kind: 'very-stale',
    ageMs: minutes(20),
    evidence: 'its heartbeat is 20 min old',
  } as const;

  it('is said when the Deacon is very stale and Boot has not looked for as long', () => {
    expect(unwatchedSilence(veryStale, minutes(15))).toContain('Boot has not looked for 15 min');
  });

  it('is none while Boot looks, or the heartbeat is fresh or unknown', () => {
    expect(unwatchedSilence(veryStale, minutes(14))).toBeNull();
    expect(unwatchedSilence({ ...veryStale, kind: 'stale' }, minutes(60))).toBeNull();
    expect(unwatchedSilence({ kind: 'unknown', evidence: 'torn' }, minutes(60))).toBeNull();
  });
});
