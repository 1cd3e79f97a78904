import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Town } from '../town/town.ts';
import { hasEndedOnPurpose, writeEnd } from './ended.ts';
import { writeHandoff } from './handoff.ts';
import { writeHeartbeat } from './heartbeat.ts';

const NOW = Date.parse('2026-01-02T18:30:00Z');
let folder: string;
let town: Town;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-ended-'));
  town = new Town(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const isMeant = (incarnation: string): Promise<boolean> =>
  hasEndedOnPurpose({ town, now: () => NOW }, incarnation);
const beatAt = (at: number): Promise<void> =>
  writeHeartbeat(
    town,
    { cycle: 1, cycleOfRun: 1, lastAction: 'scan', healthyAgents: 1, unhealthyAgents: 0 },
    at,
    'a',
  );
const handOverAt = (at: number): Promise<void> =>
  writeHandoff(town, { subject: 'Routine cycle', message: '', cycle: 1, incarnation: 'a' }, at);

it('a Deacon that says nothing has crashed', async () => {
  await beatAt(NOW - 1_000);
  expect(await isMeant('a')).toBe(false);
});

it('one that was stopped, or has handed over, has ended on purpose; another run has not', async () => {
  await beatAt(NOW - 1_000);
  await writeEnd({ file: town.deaconEndFile, now: () => NOW }, 'it was stopped', 'a');
  expect([await isMeant('a'), await isMeant('b')]).toEqual([true, false]);
  rmSync(town.deaconEndFile);
  await handOverAt(NOW);
  expect([await isMeant('a'), await isMeant('b')]).toEqual([true, false]);
});

it('one that has handed over, begun another cycle and died has crashed', async () => {
  await handOverAt(NOW - 60_000);
  await beatAt(NOW - 1_000);
  expect(await isMeant('a')).toBe(false);
});
