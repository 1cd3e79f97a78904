import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckpointKeeper } from './checkpoint-keeper.ts';

let folder = '';
let ids = 0;
const keep = (file = 'state'): CheckpointKeeper =>
  new CheckpointKeeper(join(folder, file), join(folder, 'kept'), () => `c${++ids}`);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const write = (text: string, file = 'state'): void => writeFileSync(join(folder, file), text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-keeper-'));
  ids = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a checkpoint file', () => {
  it('is kept version by version, and an unchanged one once', () => {
    const keeper = keep();
    expect(keeper.look()).toBeNull();
    write('one');
    expect(keeper.look()).toEqual({ checkpointId: 'c1', sha256: hashOf('one'), bytes: 3 });
    expect(keeper.look()).toBeNull();
    write('two and more');
    expect(keeper.look()?.checkpointId).toBe('c2');
  });

  it('is not kept when it is empty, torn, or not what its hash says', () => {
    const keeper = keep();
    write('');
    expect(keeper.look()).toBeNull();
    write('{"n":1}');
    expect(keeper.look()).not.toBeNull();
    write('{"n":');
    expect(keeper.look()).toBeNull();
    write('{"n":22}');
    write(`${hashOf('another')}  state`, 'state.sha256');
    expect(keeper.look()).toBeNull();
    write('{"n":333}');
    write(`${hashOf('{"n":333}')}  state`, 'state.sha256');
    expect(keeper.look()).not.toBeNull();
  });

  it('is put back from the newest version whose bytes are what they were', () => {
    const keeper = keep();
    write('one');
    keeper.look();
    write('second');
    const second = keeper.look();
    writeFileSync(join(folder, 'kept', second?.sha256 ?? ''), 'rotten');
    write('garbage that nobody kept');
    expect(keeper.restore()).toEqual({
      checkpoint: { checkpointId: 'c1', sha256: hashOf('one'), bytes: 3 },
      skipped: ['c2: its bytes have changed'],
    });
    expect(readFileSync(keeper.file, 'utf8')).toBe('one');
    expect(readFileSync(`${keeper.file}.bad`, 'utf8')).toBe('garbage that nobody kept');
  });

  it('is put back from the version that was picked, and from no other', () => {
    const keeper = keep();
    for (const text of ['one', 'second', 'and a third']) {
      write(text);
      keeper.look();
    }
    expect(keeper.restore('c9')).toEqual({ checkpoint: null, skipped: [] });
    writeFileSync(join(folder, 'kept', hashOf('second')), 'rotten');
    expect(keeper.restore('c2')).toEqual({ checkpoint: null, skipped: ['c2: its bytes have changed'] });
    expect(readFileSync(keeper.file, 'utf8')).toBe('and a third');
    expect(keeper.restore('c1').checkpoint?.checkpointId).toBe('c1');
    expect(readFileSync(keeper.file, 'utf8')).toBe('one');
  });

  it('is put aside when nothing in it was ever sound', () => {
    const keeper = keep('state.json');
    write('{"n":', 'state.json');
    expect(keeper.look()).toBeNull();
    expect(keeper.restore()).toEqual({ checkpoint: null, skipped: [] });
    expect(existsSync(keeper.file)).toBe(false);
  });

  it('keeps the newest twenty', () => {
    const keeper = keep();
    for (let n = 0; n < 25; n++) {
      write(`version ${'x'.repeat(n)}`);
      keeper.look();
    }
    expect(existsSync(join(folder, 'kept', hashOf('version ')))).toBe(false);
    expect(existsSync(join(folder, 'kept', hashOf(`version ${'x'.repeat(5)}`)))).toBe(true);
  });
});
