import { describe, expect, it } from 'vitest';
import { milliseconds, minutes } from '../base/time.ts';
import type { Freshness } from './freshness.ts';
import { BOOT_CHECK_IN, BOOT_WAKE, type DeaconLook, triage } from './triage.ts';

const aged = (kind: 'fresh' | 'stale' | 'very-stale'): Freshness => ({
  kind,
  ageMs: minutes(1),
  evidence: 'its heartbeat is old',
});
const unknown: Freshness = { kind: 'unknown', evidence: "its heartbeat can't be read" };
const look = (more: Partial<DeaconLook>): DeaconLook => ({
  session: 'alive',
  freshness: aged('fresh'),
  unknownMs: milliseconds(0),
  pendingLetters: 0,
  process: 'unknown',
  isAsking: false,
  wakes: 0,
  sinceWakeMs: null,
  limitedMs: milliseconds(0),
  downBy: null,
  canBeTold: true,
  isDegraded: false,
  ...more,
});

const STALE = { freshness: aged('stale') };
const WOKEN = { freshness: aged('very-stale'), wakes: 2, process: 'idle' } as const;
const LIMITED = { limitedMs: minutes(9) };

describe('the decision matrix of Boot', () => {
  it.each<[string, string, Partial<DeaconLook>]>([
    ['START', 'a dead session, whatever its file says', { session: 'dead', freshness: aged('fresh') }],
    ['NOTHING', 'a session that has ended at its usage limit', { session: 'dead', limitedMs: minutes(9) }],
    ['NOTHING', 'a session that was shut down on purpose', { session: 'dead', downBy: 'ada' }],
    ['WAKE', 'one that somebody has started since', { freshness: aged('very-stale'), downBy: 'ada' }],
    ['NOTHING', 'stale, with mail, at its usage limit', { ...STALE, pendingLetters: 1, ...LIMITED }],
    ['NOTHING', 'woken twice, idle, at its usage limit', { ...WOKEN, ...LIMITED }],
    ['WAKE', 'a very stale heartbeat', { freshness: aged('very-stale') }],
    ['NUDGE', 'a stale heartbeat and mail', { freshness: aged('stale'), pendingLetters: 1 }],
    ['NOTHING', 'a stale heartbeat without mail', { freshness: aged('stale') }],
    ['NOTHING', 'a fresh heartbeat, with mail too', { pendingLetters: 3 }],
    ['NOTHING', 'a heartbeat that can not be read, with mail too', { freshness: unknown, pendingLetters: 3 }],
    ['NOTHING', 'a failed look at the session', { session: 'unknown', freshness: null }],
    ['NOTHING', 'a mailbox that did not answer', { freshness: aged('stale'), pendingLetters: null }],
    [
      'NOTHING',
      'a stale one that nothing can reach',
      { freshness: aged('stale'), pendingLetters: 1, canBeTold: false },
    ],
    [
      'ESCALATE',
      'a very stale one that nothing can reach',
      { freshness: aged('very-stale'), canBeTold: false },
    ],
    ['ESCALATE', 'a heartbeat that was unknown for long', { freshness: unknown, unknownMs: minutes(15) }],
  ])('%s: %s', (action, _, more) => {
    expect(triage(look(more)).action).toBe(action);
  });

  it.each<[string, string, Partial<DeaconLook>]>([
    ['WAKE', 'woken once', { wakes: 1, process: 'idle' }],
    ['NOTHING', 'woken just now', { wakes: 1, process: 'idle', sinceWakeMs: minutes(2) }],
    ['WAKE', 'woken a tick ago', { wakes: 1, process: 'idle', sinceWakeMs: minutes(2.9) }],
    ['NOTHING', 'woken twice, just now', { wakes: 2, process: 'idle', sinceWakeMs: minutes(2) }],
    ['NOTHING', 'not reached just now', { canBeTold: false, sinceWakeMs: minutes(0) }],
    ['RESTART', 'woken twice, idle', { wakes: 2, process: 'idle' }],
    ['RESTART', 'woken twice, stopped', { wakes: 2, process: 'stopped' }],
    ['ESCALATE', 'woken twice, busy', { wakes: 2, process: 'busy' }],
    ['ESCALATE', 'woken twice, nothing known', { wakes: 2, process: 'unknown' }],
    ['ESCALATE', 'woken twice, waiting for a person', { wakes: 2, process: 'idle', isAsking: true }],
    ['WAKE', 'degraded, but its mailbox reaches it', { isDegraded: true, process: 'idle' }],
    ['RESTART', 'degraded, out of reach, idle', { isDegraded: true, canBeTold: false, process: 'idle' }],
    ['ESCALATE', 'degraded, out of reach, busy', { isDegraded: true, canBeTold: false, process: 'busy' }],
    ['ESCALATE', 'degraded, out of reach, not known', { isDegraded: true, canBeTold: false }],
  ])('a very stale heartbeat: %s, %s', (action, _, more) => {
    expect(triage(look({ freshness: aged('very-stale'), ...more })).action).toBe(action);
  });

  it('gives its evidence', () => {
    const stale = { freshness: aged('stale'), pendingLetters: 2 };
    expect(triage(look(stale)).reason).toBe('its heartbeat is old; 2 letters are pending');
    const woken = { freshness: aged('very-stale'), wakes: 2, process: 'idle' as const };
    expect(triage(look(woken)).reason).toBe(
      'its heartbeat is old; woken 2 times without effect; its process is idle',
    );
  });

  it('has fixed words', () => {
    expect([BOOT_WAKE, BOOT_CHECK_IN]).toEqual([
      'Boot wake: check your inbox',
      'Boot check-in: pending work',
    ]);
  });
});
