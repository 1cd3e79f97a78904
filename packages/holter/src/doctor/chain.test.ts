import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instant } from '@holter/core/time';
import { acquireLock } from '@holter/server/lock';
import { identityOf, systemTable } from '@holter/server/process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeaconView } from '../deacon/look.ts';
import { CliFailure } from '../terminal/failure.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { writeTownSettings } from '../town/settings.ts';
import { writeStateFile } from '../town/state-file.ts';
import { Town } from '../town/town.ts';
import { checkChain } from './chain.ts';

const NOW = Date.parse('2026-01-02T18:30:00Z');
const MINUTE = 60_000;

const DEAD: DeaconView = { session: 'dead', run: null, zombie: null, isDegraded: false };
/** A run that has begun an hour ago. */
const runs = (incarnation: string): DeaconView => ({
  ...{ session: 'alive', zombie: null, isDegraded: false },
  run: {
    incarnation,
    startedAt: instant(NOW - 60 * MINUTE),
    process: { pid: 1, startedAt: '1', bootId: '' },
    place: null,
  },
});

let folder: string;
let town: Town;
let deacon: DeaconView;
beforeEach(() => {
  deacon = runs('c');
  folder = mkdtempSync(join(tmpdir(), 'holter-doctor-'));
  town = new Town(join(folder, 'gt'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const noServer = () => {
  throw new CliFailure('no server');
};
const check = async () => {
  const env = { HOME: folder, PATH: join(folder, 'bin'), XDG_CONFIG_HOME: join(folder, 'config') };
  const checks = await checkChain(
    { env },
    town.path,
    noServer,
    () => NOW,
    async () => deacon,
  );
  return Object.fromEntries(checks.map(({ about, isFine, says }) => [about, [isFine, says]]));
};
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString();

async function writeTown(minutes: number, action: string): Promise<void> {
  await writeStateFile(town.daemonStateFile, { at: ago(1), links: {} }, 'd');
  const status = { action, reason: 'as it is', at: ago(minutes), target: 'hq-deacon', result: '' };
  await writeStateFile(town.bootStatusFile, status, 'b');
  await writeStateFile(town.heartbeatFile, { timestamp: ago(minutes), cycle: 1 }, 'c');
}

describe('doctor about the chain', () => {
  it('says nothing where there is no town', async () => {
    expect(await check()).toEqual({});
  });

  it('says that no daemon runs in a town that was only made', async () => {
    mkdirSync(town.path);
    writeTownSettings(town);
    expect(await check()).toEqual({ daemon: [false, `no daemon runs in ${town.path}`] });
  });

  it('takes no other process for the daemon, whose pid it has now', async () => {
    await writeTown(2, 'NOTHING');
    const table = systemTable();
    const row = table?.row(process.pid);
    if (!table || !row) throw new Error('processes can not be read');
    // The daemon that held the lock has ended before this process began.
    const lock = await acquireLock(town.daemonLockFile, { pid: process.pid, since: instant(1) });
    expect(await check()).toMatchObject({ daemon: [false, `no daemon runs in ${town.path}`] });
    await writeStateFile(
      town.daemonStateFile,
      { at: ago(1), links: {} },
      incarnationOf(identityOf(table, row)),
    );
    expect(await check()).toMatchObject({
      daemon: [true, `looks after ${town.path} (pid ${process.pid})`],
    });
    lock?.release();
  });

  it('judges the Deacon by its process, and by the heartbeat of this run', async () => {
    await writeTown(2, 'NOTHING');
    deacon = DEAD;
    expect(await check()).toMatchObject({ deacon: [false, 'it does not run'] });
    // Its predecessor's heartbeat is fresh.
    deacon = runs('next');
    expect(await check()).toMatchObject({
      deacon: [false, 'it has written no heartbeat since its start 60 min ago'],
    });
    deacon = { ...DEAD, session: 'unknown' };
    expect(await check()).toMatchObject({ deacon: [false, expect.stringContaining('tmux')] });
  });

  it('does not complain of a Deacon that somebody has shut down, or that has handed over', async () => {
    await writeTown(2, 'NOTHING');
    deacon = DEAD;
    await writeStateFile(town.deaconEndFile, { at: ago(1), reason: 'Ctrl-C' }, 'c');
    expect(await check()).toMatchObject({ deacon: [true, expect.stringContaining('ended on purpose')] });
    const links = { deacon: { state: 'ended', shut_down_by: 'ada', reason: 'a drill' } };
    await writeStateFile(town.daemonStateFile, { at: ago(1), links }, 'd');
    expect(await check()).toMatchObject({ deacon: [true, 'shut down on purpose by ada: a drill'] });
  });

  it('is content with a chain at work', async () => {
    await writeTown(2, 'NOTHING');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'tmux'), '');
    chmodSync(join(folder, 'bin', 'tmux'), 0o755);
    const units = join(folder, 'config', 'systemd', 'user');
    mkdirSync(join(units, 'default.target.wants'), { recursive: true });
    const unit = join(units, 'holter-daemon.service');
    writeFileSync(unit, '[Unit]\n');
    expect((await check()).service).toEqual([false, `${unit} is not enabled`]);
    symlinkSync(unit, join(units, 'default.target.wants', 'holter-daemon.service'));
    expect(await check()).toMatchObject({
      daemon: [false, `no daemon runs in ${town.path}`],
      service: [true, unit],
      boot: [true, '2 min ago: NOTHING hq-deacon, as it is'],
      deacon: [true, 'its heartbeat is 2 min old'],
      tmux: [true, 'installed'],
    });
  });

  it('reports a late triage, an old heartbeat and a missing tmux', async () => {
    await writeTown(20, 'NOTHING');
    expect(await check()).toMatchObject({
      service: [true, expect.stringContaining('holter service install --daemon')],
      boot: [false, expect.stringContaining('20 min ago')],
      deacon: [false, 'its heartbeat is 20 min old'],
      tmux: [false, expect.stringContaining('degraded')],
    });
  });

  it('does not complain of a Deacon that waits for its usage limit', async () => {
    await writeTown(20, 'NOTHING');
    const deacon = { incarnation: 'c', limited_until: ago(-5) };
    const status = { action: 'NOTHING', reason: '', at: ago(1), target: 'hq-deacon', result: '', deacon };
    await writeStateFile(town.bootStatusFile, status, 'b');
    expect(await check()).toMatchObject({ deacon: [true, expect.stringContaining('usage limit')] });
  });

  it('reports what Boot has told a person, and files that can not be read', async () => {
    await writeTown(1, 'ESCALATE');
    writeFileSync(town.heartbeatFile, '{');
    expect(await check()).toMatchObject({
      boot: [false, '60 s ago: ESCALATE hq-deacon, as it is'],
      deacon: [false, expect.stringContaining("its heartbeat can't be read")],
    });
    writeFileSync(town.settingsFile, '[]');
    expect(await check()).toMatchObject({ town: [false, expect.stringContaining('town.json')] });
  });
});
