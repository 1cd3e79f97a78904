import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instant, type LinkLook } from '@holter/core';
import { identityOf, realClock, systemTable } from '@holter/server/process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Chain } from '../deacon/context.ts';
import { defaultTownSettings } from '../town/settings.ts';
import { Town } from '../town/town.ts';
import { BootHand } from './boot-hand.ts';

const table = systemTable();
let folder: string;
let hand: BootHand;
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-boot-'));
  writeFileSync(join(folder, 'main.mjs'), 'setInterval(() => undefined, 1_000);\n');
  const chain = { table, clock: realClock(), town: new Town(folder), settings: defaultTownSettings() };
  hand = new BootHand(chain as unknown as Chain, []);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  rmSync(folder, { recursive: true });
});

/** As the records of a daemon that ran before name it. */
async function written(...args: readonly string[]): Promise<LinkLook & { readonly process: string }> {
  const child = spawn(process.execPath, [join(folder, 'main.mjs'), ...args], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  const row = table?.row(child.pid ?? 0);
  if (!table || !row) throw new Error('it is not in the table of processes');
  const identity = JSON.stringify(identityOf(table, row));
  return { at: instant(1), process: identity, state: 'running', cpuMs: 0, tick: null };
}

it('a process that is only written down to be Boot is neither looked at nor ended', async () => {
  const forged = await written('agent', '--town', folder);
  expect(await hand.look(forged)).toMatchObject({ state: 'ended' });
  expect(await hand.stop(forged.process, false)).toContain('is not a triage of this town');
  expect(children[0]?.exitCode ?? children[0]?.signalCode).toBeNull();
});

it('a triage that an earlier daemon has started is ended', async () => {
  const boot = await written('boot', 'triage', '--session=gt-boot', '--town', folder, '--data', folder);
  expect(await hand.look(boot)).toMatchObject({ state: 'running' });
  expect(await hand.stop(boot.process, false)).toBeNull();
});

it('a triage of another town is left alone', async () => {
  const other = await written('boot', 'triage', '--session=gt-boot', '--town', join(folder, 'other'));
  expect(await hand.stop(other.process, false)).toContain('is not a triage of this town');
});
