import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { incarnationOf } from './incarnation.ts';
import { readStateFile, writeStateFile } from './state-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-town-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW = Date.parse('2026-01-02T18:30:00Z');
const read = (name: string) => readStateFile(join(folder, name), () => NOW);
const readText = (text: string) => {
  writeFileSync(join(folder, 'text.json'), text);
  return read('text.json');
};

describe('a state file', () => {
  it('is written whole, with the incarnation', async () => {
    const state = { timestamp: '2026-01-02T18:29:00Z', cycle: 42 };
    await writeStateFile(join(folder, 'new/heartbeat.json'), state, 'a');
    expect(await read('new/heartbeat.json')).toEqual({
      kind: 'read',
      at: NOW - 60_000,
      incarnation: 'a',
      state: { ...state, incarnation: 'a' },
    });
    expect(readdirSync(join(folder, 'new'))).toEqual(['heartbeat.json']);
  });

  it('replaces a FIFO or a link, and says once that a folder is in its place', async () => {
    const state = { at: '2026-01-02T18:30:00Z' };
    const said: string[] = [];
    const write = (name: string) =>
      writeStateFile(join(folder, name), state, 'a', (line) => void said.push(line));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    writeFileSync(join(folder, 'precious'), 'kept');
    symlinkSync(join(folder, 'precious'), join(folder, 'linked.json'));
    for (const name of ['pipe.json', 'linked.json']) {
      await write(name);
      expect(await read(name)).toMatchObject({ kind: 'read' });
    }
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('kept');
    mkdirSync(join(folder, 'dir.json'));
    await write('dir.json');
    await write('dir.json');
    expect(said).toEqual([`${join(folder, 'dir.json')} is not written: it is a directory`]);
    rmdirSync(join(folder, 'dir.json'));
    await write('dir.json');
    expect(await read('dir.json')).toMatchObject({ kind: 'read' });
    writeFileSync(join(folder, 'file'), '');
    await write('file/state.json');
    expect(said[1]).toMatch(/file\/state\.json is not written: its folder can't be used \(\w+\)$/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('need not name its incarnation', async () => {
    expect(await readText('{"at":"2026-01-02T18:30:00Z"}')).toMatchObject({
      kind: 'read',
      incarnation: null,
    });
  });

  it('may be missing', async () => {
    expect(await read('none.json')).toEqual({ kind: 'none' });
  });

  it.each([
    ['torn', '{"timestamp":"2026-01-02T18:2', 'it is not a JSON object'],
    ['empty', '', 'it is not a JSON object'],
    ['a list', '[]', 'it is not a JSON object'],
    ['undated', '{}', 'it does not say when it was written'],
    ['not dated in words', '{"at":"yesterday"}', 'it does not say when it was written'],
    ['of the future', '{"at":"2026-01-02T18:30:00.001Z"}', 'it is dated in the future'],
  ])('that is %s is unreadable', async (_, text, because) => {
    expect(await readText(text)).toEqual({ kind: 'unreadable', because });
  });

  it('that is a folder, a FIFO or a link is unreadable, and is not waited for', async () => {
    execFileSync('mkfifo', [join(folder, 'fifo.json')]);
    writeFileSync(join(folder, 'elsewhere.json'), '{"at":"2026-01-02T18:30:00Z"}');
    symlinkSync(join(folder, 'elsewhere.json'), join(folder, 'link.json'));
    const refused = (because: string) => ({ kind: 'unreadable', because });
    expect(await read('.')).toEqual(refused('it is a directory'));
    expect(await read('fifo.json')).toEqual(refused('it is a FIFO'));
    expect(await read('link.json')).toEqual(refused('it is a symbolic link'));
  });
});

describe('an incarnation', () => {
  it('is one word', () => {
    expect(incarnationOf({ bootId: '0b9e7c52-1234 4026', pid: 7, startedAt: 'Mon Nov 16' })).toBe(
      '7.Mon_Nov_16.0b9e7c52',
    );
  });
});
