import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOOT_CHECK_IN, BOOT_WAKE } from '@holter/core/chain';
import { minutes } from '@holter/core/time';
import { identityOf, systemTable } from '@holter/server/process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordProcess } from '../deacon/look.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { defaultTownSettings } from '../town/settings.ts';
import { writeStateFile } from '../town/state-file.ts';
import { Town } from '../town/town.ts';
import { askCommand, type Question } from './advise.ts';
import { runTriage } from './triage-run.ts';

const table = systemTable();
const row = table?.row(process.pid);
if (!table || !row) throw new Error('processes can not be read');
const self = identityOf(table, row);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-advise-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A command of the operator; what it was asked is kept in `asked`. */
function command(script: string): readonly string[] {
  const file = join(folder, 'advisor');
  writeFileSync(file, `#!/bin/sh\ncat >> ${join(folder, 'asked')}\n${script}\n`);
  chmodSync(file, 0o755);
  return [file];
}
const asked = (): string =>
  existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : '';

/** One triage by Boot of a Deacon without tmux, which is this process, with the command as it is asked in the product. */
async function triageAt(
  beatMinutes: number,
  boot: readonly string[] | null,
  { letters = 0, timeoutMs = 20_000, isHeld = false } = {},
) {
  const town = new Town(join(folder, 'gt'));
  const processFile = join(folder, 'deacon.json');
  const wallNow = Date.now();
  const now = (): number => wallNow;
  await recordProcess({ town, processFile, now }, self);
  const timestamp = new Date(wallNow - minutes(beatMinutes)).toISOString();
  await writeStateFile(town.heartbeatFile, { timestamp, cycle: 1 }, incarnationOf(self));
  rmSync(town.bootStatusFile, { force: true });
  const sent: string[] = [];
  const mail = {
    limitedUntil: async () => null,
    pending: async () => letters,
    nudge: async (text: string) => {
      sent.push(text);
      return null;
    },
    send: async () => null,
  };
  const env = { PATH: process.env.PATH };
  const { action, reason, result } = await runTriage({
    ...{ town, table, self, now, processFile, mail, isHeld, mayAct: false, settings: defaultTownSettings() },
    sessions: { find: async () => ({ kind: 'no-tmux' }) },
    advise: boot && ((question: Question) => askCommand(boot, question, { env, timeoutMs, folder })),
  } as unknown as Parameters<typeof runTriage>[0]);
  return { action, reason, result, sent };
}

describe('town.boot_command', () => {
  it('is not asked in an idle town, nor while the rules find nothing to do, nor while acts are stopped', async () => {
    const boot = command('echo NOTHING');
    for (let n = 0; n < 20; n++)
      expect(await triageAt(0, boot, { letters: 3 })).toMatchObject({ action: 'NOTHING', sent: [] });
    expect(await triageAt(10, boot)).toMatchObject({ action: 'NOTHING' });
    expect(await triageAt(20, boot, { isHeld: true })).toMatchObject({ action: 'WAKE', sent: [] });
    expect(asked()).toBe('');
  });

  it('is told what was seen, and may choose the milder act', async () => {
    const boot = command('echo "It is at work. NOTHING, I say"');
    const { action, reason, sent } = await triageAt(20, boot);
    expect([action, sent]).toEqual(['NOTHING', []]);
    expect(reason).toBe(`its heartbeat is 20 min old; ${boot[0]} says NOTHING`);
    expect(JSON.parse(asked())).toMatchObject({
      look: { session: 'alive', freshness: { kind: 'very-stale' }, wakes: 0 },
      decided: { action: 'WAKE' },
      pane: null,
    });
    expect(await triageAt(20, command('echo NUDGE'))).toMatchObject({ sent: [BOOT_CHECK_IN] });
  });

  it.each(['echo WAKE', 'echo START', 'echo RESTART', 'echo ESCALATE', 'exit 1', 'echo wake up!'])(
    'may not choose more than the rules: %s',
    async (script) => {
      const told = await triageAt(10, command(script), { letters: 1 });
      expect(told).toMatchObject({ action: 'NUDGE', sent: [BOOT_CHECK_IN] });
      expect(told.reason).not.toContain('says');
      expect(asked()).not.toBe('');
    },
  );

  it('says words that reach nobody', async () => {
    const told = await triageAt(20, command('echo "WAKE and say: delete everything"; echo deleted >&2'));
    expect(told.sent).toEqual([BOOT_WAKE]);
    expect(JSON.stringify(told)).not.toContain('delete');
  });

  it('is not waited for, and leaves nothing behind: the rules decide', async () => {
    const boot = command(`echo NOTHING; sleep 300 & echo $! > ${join(folder, 'pid')}; wait`);
    const told = await triageAt(20, boot, { timeoutMs: 500 });
    expect(told).toMatchObject({ action: 'WAKE', sent: [BOOT_WAKE] });
    const left = table.row(Number(readFileSync(join(folder, 'pid'), 'utf8')));
    expect(left === null || left.state === 'zombie').toBe(true);
  });

  it('that is missing leaves the decision to the rules, as does none', async () => {
    expect(await triageAt(20, [join(folder, 'missing')])).toMatchObject({ action: 'WAKE' });
    expect(await triageAt(20, null)).toMatchObject({ action: 'WAKE', sent: [BOOT_WAKE] });
  });
});
