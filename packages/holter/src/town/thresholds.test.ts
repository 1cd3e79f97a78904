import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonDefaults } from '@holter/core';
import { freshnessDefaults, freshnessOf, triageDefaults } from '@holter/core/chain';
import { instant, minutes } from '@holter/core/time';
import { parseDuration } from '@holter/server/process';
import { expect, it } from 'vitest';
import { defaultTownSettings, readTownSettings, writeTownSettings } from './settings.ts';
import { Town } from './town.ts';

const { staleMs, veryStaleMs } = freshnessDefaults;
const inMinutes = (ms: number): number => ms / minutes(1);

/** What `holter town init` writes. */
function written(): Record<string, string> {
  const town = new Town(mkdtempSync(join(tmpdir(), 'holter-town-')));
  writeTownSettings(town);
  const text = readFileSync(town.settingsFile, 'utf8');
  expect(readTownSettings(town)).toEqual(defaultTownSettings());
  rmSync(town.path, { recursive: true });
  return JSON.parse(text);
}

it('each threshold of the chain has one home', () => {
  const { stale_after, very_stale_after, tick_every } = written();
  expect([stale_after, very_stale_after].map((time) => parseDuration(time ?? ''))).toEqual([
    staleMs,
    veryStaleMs,
  ]);
  expect(defaultTownSettings().freshness).toEqual(freshnessDefaults);
  expect(triageDefaults).toMatchObject(freshnessDefaults);
  const { tickMs } = triageDefaults;
  expect([daemonDefaults.tickMs, defaultTownSettings().tickMs, parseDuration(tick_every ?? '')]).toEqual([
    tickMs,
    tickMs,
    tickMs,
  ]);
});

it('exactly the limit is stale, and very stale', () => {
  const now = instant(1_800_000_000_000);
  const run = { incarnation: 'a', startedAt: null };
  const kindAt = (ageMs: number) =>
    freshnessOf({ kind: 'read', heartbeat: { at: instant(now - ageMs), incarnation: 'a' } }, run, now).kind;
  expect([staleMs - 1, staleMs, veryStaleMs - 1, veryStaleMs].map(kindAt)).toEqual([
    'fresh',
    'stale',
    'stale',
    'very-stale',
  ]);
});

it('the documentation says the same', () => {
  const docs = readFileSync(new URL('../../../../docs/watchdog.md', import.meta.url), 'utf8');
  const [stale, veryStale] = [inMinutes(staleMs), inMinutes(veryStaleMs)];
  expect(docs).toContain(`| heartbeat of ${veryStale} min or older | WAKE |`);
  expect(docs).toContain(`| heartbeat of ${stale} to ${veryStale} min, and mail | NUDGE |`);
  expect(docs).toContain(`| heartbeat younger than ${stale} min | NOTHING |`);
  expect(docs).toContain(`every ${inMinutes(triageDefaults.tickMs)} min`);
});
