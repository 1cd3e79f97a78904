import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { realClock } from '@holter/server/process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CliFailure } from '../terminal/failure.ts';
import { defaultTownSettings } from '../town/settings.ts';
import { Town } from '../town/town.ts';
import { Patrol } from './patrol.ts';

let town: Town;
let said: string[];
beforeEach(() => {
  town = new Town(mkdtempSync(join(tmpdir(), 'holter-patrol-')));
  mkdirSync(town.deaconFolder);
  said = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    said.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(town.path, { recursive: true });
});

/** One cycle and a handoff, without a server. */
const patrol = () =>
  new Patrol({
    town,
    settings: { ...defaultTownSettings(), cyclesMax: 1 },
    clock: realClock(),
    now: () => 1_000,
    incarnation: 'a',
    connect: () => {
      throw new CliFailure('no server');
    },
    say: () => undefined,
  }).run();

const files = (): readonly string[] => [town.heartbeatFile, town.deaconStateFile, town.digestsFile];

it('goes on when folders are in place of its files, and says so once', async () => {
  for (const file of files()) mkdirSync(file);
  await patrol();
  expect(said.map((line) => basename(line.trim().split(' ')[1] ?? ''))).toEqual([
    'heartbeat.json',
    'state.json',
  ]);
  expect(said[0]).toBe(`holter: ${town.heartbeatFile} is not written: it is a directory\n`);
});

it('replaces FIFOs, and waits for none', async () => {
  for (const file of files()) execFileSync('mkfifo', [file], { stdio: 'ignore' });
  await patrol();
  expect(said).toEqual([]);
  expect(JSON.parse(readFileSync(town.heartbeatFile, 'utf8'))).toMatchObject({ cycle: 1, incarnation: 'a' });
});
