import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CheckpointKeeper } from './checkpoint-keeper.ts';

let folder = '';
let ids = 0;
const keep = (file = 'state'): CheckpointKeeper =>
  new CheckpointKeeper(join(folder, file), join(folder, 'kept'), { newId: () => `c${++ids}` });
const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const write = (text: string, file = 'state'): void => writeFileSync(join(folder, file), text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-keeper-'));
  ids = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a checkpoint file', () => {
  it('is kept version by version, and an unchanged one once', async () => {
    const keeper = keep();
    expect(await keeper.look()).toBeNull();
    write('one');
    expect(await keeper.look()).toEqual({ checkpointId: 'c1', sha256: hashOf('one'), bytes: 3 });
    expect(await keeper.look()).toBeNull();
    write('two and more');
    expect((await keeper.look())?.checkpointId).toBe('c2');
  });

  it('is not kept when it is empty, torn, or not what its hash says', async () => {
    const keeper = keep();
    write('');
    expect(await keeper.look()).toBeNull();
    write('{"n":1}');
    expect(await keeper.look()).not.toBeNull();
    write('{"n":');
    expect(await keeper.look()).toBeNull();
    write('{"n":22}');
    write(`${hashOf('another')}  state`, 'state.sha256');
    expect(await keeper.look()).toBeNull();
    write('{"n":333}');
    write(`${hashOf('{"n":333}')}  state`, 'state.sha256');
    expect(await keeper.look()).not.toBeNull();
  });

  it('is put back from the newest version whose bytes are what they were', async () => {
    const keeper = keep();
    write('one');
    await keeper.look();
    write('second');
    const second = await keeper.look();
    writeFileSync(join(folder, 'kept', second?.sha256 ?? ''), 'rotten');
    write('garbage that nobody kept');
    expect(await keeper.restore()).toEqual({
      checkpoint: { checkpointId: 'c1', sha256: hashOf('one'), bytes: 3 },
      skipped: ['c2: its bytes have changed'],
    });
    expect(readFileSync(keeper.file, 'utf8')).toBe('one');
    expect(readFileSync(`${keeper.file}.bad`, 'utf8')).toBe('garbage that nobody kept');
  });

  it('is put back from the version that was picked, and from no other', async () => {
    const keeper = keep();
    for (const text of ['one', 'second', 'and a third']) {
      write(text);
      await keeper.look();
    }
    expect(await keeper.restore('c9')).toEqual({ checkpoint: null, skipped: [] });
    writeFileSync(join(folder, 'kept', hashOf('second')), 'rotten');
    expect(await keeper.restore('c2')).toEqual({ checkpoint: null, skipped: ['c2: its bytes have changed'] });
    expect(readFileSync(keeper.file, 'utf8')).toBe('and a third');
    expect((await keeper.restore('c1')).checkpoint?.checkpointId).toBe('c1');
    expect(readFileSync(keeper.file, 'utf8')).toBe('one');
  });

  it('is put aside when nothing in it was ever sound', async () => {
    const keeper = keep('state.json');
    write('{"n":', 'state.json');
    expect(await keeper.look()).toBeNull();
    expect(await keeper.restore()).toEqual({ checkpoint: null, skipped: [] });
    expect(existsSync(keeper.file)).toBe(false);
  });

  it('keeps the newest twenty', async () => {
    const keeper = keep();
    for (let n = 0; n < 25; n++) {
      write(`version ${'x'.repeat(n)}`);
      await keeper.look();
    }
    expect(existsSync(join(folder, 'kept', hashOf('version ')))).toBe(false);
    expect(existsSync(join(folder, 'kept', hashOf(`version ${'x'.repeat(5)}`)))).toBe(true);
  });

  it('is not read while it is a FIFO, a link or too large, which is told', async () => {
    const because: string[] = [];
    const keeper = new CheckpointKeeper(join(folder, 'state'), join(folder, 'kept'), {
      newId: () => 'c1',
      noted: (answer) => void because.push(answer.kind === 'refused' ? answer.because : answer.kind),
    });
    execFileSync('mkfifo', [keeper.file]);
    expect(await keeper.look()).toBeNull();
    rmSync(keeper.file);
    symlinkSync('/dev/zero', keeper.file);
    expect(await keeper.look()).toBeNull();
    rmSync(keeper.file);
    write('');
    truncateSync(keeper.file, 60_000_000);
    expect(await keeper.look()).toBeNull();
    expect(because).toEqual(['is a FIFO', 'is a symbolic link', 'is too large (60 MB; at most 34 MB)']);
  });

  it('is put back in place of a link or a FIFO, which is put aside and not followed', async () => {
    const keeper = keep();
    write('one');
    await keeper.look();
    write('precious', 'victim');
    rmSync(keeper.file);
    symlinkSync(join(folder, 'victim'), keeper.file);
    expect((await keeper.restore()).checkpoint?.checkpointId).toBe('c1');
    rmSync(keeper.file);
    execFileSync('mkfifo', [keeper.file]);
    expect((await keeper.restore()).checkpoint?.checkpointId).toBe('c1');
    expect(readFileSync(keeper.file, 'utf8')).toBe('one');
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
  });
});

describe('whatever an agent writes', () => {
  const sound = JSON.stringify({ step: 3, files: ['a.ts', 'b.ts'], note: 'half done' });
  const damaged = (text: string): fc.Arbitrary<Buffer> =>
    fc
      .tuple(fc.nat(text.length), fc.nat(text.length), fc.uint8Array({ maxLength: 20 }))
      .map(([from, to, put]) =>
        Buffer.concat([Buffer.from(text.slice(0, from)), put, Buffer.from(text.slice(to))]),
      );
  const bytes = fc.oneof(
    damaged(sound),
    fc.constantFrom('', '\u0000', '[', '"', sound).map((text) => Buffer.from(text)),
  );
  const manifest = fc.option(
    fc.oneof(
      damaged(`${hashOf(sound)}  state.json\n`),
      fc.constant(Buffer.from(hashOf(sound))),
      fc.constant(Buffer.from('\n')),
    ),
    { nil: null, freq: 2 },
  );
  const version = fc.record({ bytes, manifest, copy: fc.option(bytes, { nil: null, freq: 4 }) });

  it('is looked at without an error, and only what was sound is put back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(version, { minLength: 1, maxLength: 5 }), async (versions) => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        const keeper = keep('state.json');
        const kept = new Map<string, string>();
        for (const { bytes: content, manifest: promised, copy } of versions) {
          writeFileSync(join(folder, 'state.json'), content);
          rmSync(join(folder, 'state.json.sha256'), { force: true });
          if (promised) writeFileSync(join(folder, 'state.json.sha256'), promised);
          const seen = await keeper.look();
          if (!seen) continue;
          kept.set(seen.checkpointId, seen.sha256);
          expect(() => JSON.parse(content.toString())).not.toThrow();
          // The folder of copies is the user's, so an agent can reach it.
          if (copy) writeFileSync(join(folder, 'kept', seen.sha256), copy);
        }
        const { checkpoint } = await keeper.restore();
        if (checkpoint === null) return;
        const restored = readFileSync(join(folder, 'state.json'));
        expect(kept.get(checkpoint.checkpointId)).toBe(hashOf(restored));
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});
