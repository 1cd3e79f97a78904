import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Town } from '../town/town.ts';
import { writeHandoff } from './handoff.ts';

let town: Town;
beforeEach(() => {
  town = new Town(mkdtempSync(join(tmpdir(), 'holter-handoff-')));
  mkdirSync(town.deaconFolder);
});
afterEach(() => rmSync(town.path, { recursive: true }));

const write = (message: string): Promise<void> =>
  writeHandoff(town, { subject: 'Routine cycle', message, cycle: 3, incarnation: 'a' }, 0);
const digests = (): readonly { readonly summary: string }[] =>
  readFileSync(town.digestsFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a handoff', () => {
  it('keeps the digests of all before, without secrets', async () => {
    await write('one');
    await write('token ghp_0123456789abcdefghijABCDEFGHIJ456789 works');
    expect(digests().map(({ summary }) => summary)).toEqual(['one', 'token [redacted] works']);
    expect(readFileSync(town.deaconStateFile, 'utf8')).not.toContain('ghp_');
  });

  it('waits for no FIFO in the place of its digests', async () => {
    execFileSync('mkfifo', [town.digestsFile]);
    await write('one');
    expect(digests()).toMatchObject([{ summary: 'one', cycle: 3 }]);
  });

  it('follows no link out of the town', async () => {
    const precious = join(town.path, 'precious');
    writeFileSync(precious, 'mine');
    for (const file of [town.digestsFile, town.deaconStateFile]) symlinkSync(precious, file);
    await write('one');
    expect(readFileSync(precious, 'utf8')).toBe('mine');
    expect(digests()).toHaveLength(1);
  });
});
