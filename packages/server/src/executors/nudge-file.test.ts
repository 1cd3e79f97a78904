import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NudgeFile } from './nudge-file.ts';

let folder = '';
let file: NudgeFile;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holter-nudges-'));
  file = new NudgeFile(join(folder, 'nudges'), { isOwner: () => true });
  await file.create();
});
afterEach(() => rmSync(folder, { recursive: true }));

const messages = (): readonly string[] =>
  readFileSync(file.path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { message: string }).message);
const empty = (): void => writeFileSync(file.path, '');

describe('a nudge file', () => {
  it('holds only the newest unread nudge, beside what else waits to be read', async () => {
    await file.write('n1', 'nudge', 'first');
    await file.write('r1', 'request', 'write a note');
    await file.write('n2', 'nudge', 'second');
    expect(messages()).toEqual(['write a note', 'second']);
    expect(await file.takeSeen()).toEqual([]);
    empty();
    expect(await file.takeSeen()).toEqual(['r1', 'n2']);
    expect(await file.takeSeen()).toEqual([]);
  });

  it('knows what was read before the next message came', async () => {
    await file.write('n1', 'nudge', 'first');
    empty();
    await file.write('n2', 'nudge', 'second');
    expect(messages()).toEqual(['second']);
    expect(await file.takeSeen()).toEqual(['n1']);
    rmSync(file.path);
    expect(await file.takeSeen()).toEqual(['n2']);
  });

  it('takes a message twice as once, and loses none of those that come at a time', async () => {
    await Promise.all([
      file.write('r1', 'request', 'one'),
      file.write('r2', 'request', 'two'),
      file.write('n1', 'nudge', 'three'),
      file.write('n1', 'nudge', 'three'),
    ]);
    expect(messages()).toEqual(['one', 'two', 'three']);
  });

  it('replaces what somebody else has left in it, such as a run that was killed', async () => {
    writeFileSync(file.path, '{"id":"n0","message":"old"}\n');
    await file.write('n1', 'nudge', 'new');
    expect(messages()).toEqual(['new']);
  });

  it('begins with a note for the next start, and tells nobody that it was read', async () => {
    await file.write('n1', 'nudge', 'for the last start');
    await file.create('why it was stopped');
    expect(messages()).toEqual(['why it was stopped']);
    await file.write('n2', 'nudge', 'look up');
    expect(messages()).toEqual(['why it was stopped', 'look up']);
    empty();
    expect(await file.takeSeen()).toEqual(['n2']);
  });
});
