import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliFailure } from '../terminal/failure.ts';
import { writeStateFile } from '../town/state-file.ts';
import { Town } from '../town/town.ts';
import { checkChain } from './chain.ts';

const NOW = Date.parse('2026-01-02T18:30:00Z');
const MINUTE = 60_000;

let folder: string;
let town: Town;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-doctor-'));
  town = new Town(join(folder, 'gt'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const noServer = () => {
  throw new CliFailure('no server');
};
const check = async () => {
  const env = { HOME: folder, PATH: join(folder, 'bin'), XDG_CONFIG_HOME: join(folder, 'config') };
  const checks = await checkChain({ env }, town.path, noServer, () => NOW);
  return Object.fromEntries(checks.map(({ about, isFine, says }) => [about, [isFine, says]]));
};
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString();

function writeTown(minutes: number, action: string): void {
  writeStateFile(town.daemonStateFile, { at: ago(1), links: {} }, 'd');
  const status = { action, reason: 'as it is', at: ago(minutes), target: 'hq-deacon', result: '' };
  writeStateFile(town.bootStatusFile, status, 'b');
  writeStateFile(town.heartbeatFile, { timestamp: ago(minutes), cycle: 1 }, 'c');
}

describe('doctor about the chain', () => {
  it('says nothing where no daemon was ever started', async () => {
    expect(await check()).toEqual({});
  });

  it('is content with a chain at work', async () => {
    writeTown(2, 'NOTHING');
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
      deacon: [true, 'its last heartbeat: 2 min ago'],
      tmux: [true, 'installed'],
    });
  });

  it('reports a late triage, an old heartbeat and a missing tmux', async () => {
    writeTown(20, 'NOTHING');
    expect(await check()).toMatchObject({
      service: [true, expect.stringContaining('holter service install --daemon')],
      boot: [false, expect.stringContaining('20 min ago')],
      deacon: [false, 'its last heartbeat: 20 min ago'],
      tmux: [false, expect.stringContaining('degraded')],
    });
  });

  it('does not complain of a Deacon that waits for its usage limit', async () => {
    writeTown(20, 'NOTHING');
    const deacon = { incarnation: 'c', limited_until: ago(-5) };
    const status = { action: 'NOTHING', reason: '', at: ago(1), target: 'hq-deacon', result: '', deacon };
    writeStateFile(town.bootStatusFile, status, 'b');
    expect(await check()).toMatchObject({ deacon: [true, expect.stringContaining('usage limit')] });
  });

  it('reports what Boot has told a person, and files that can not be read', async () => {
    writeTown(1, 'ESCALATE');
    writeFileSync(town.heartbeatFile, '{');
    expect(await check()).toMatchObject({
      boot: [false, '60 s ago: ESCALATE hq-deacon, as it is'],
      deacon: [false, 'no heartbeat that can be read'],
    });
    writeFileSync(town.settingsFile, '[]');
    expect(await check()).toMatchObject({ town: [false, expect.stringContaining('town.json')] });
  });
});
