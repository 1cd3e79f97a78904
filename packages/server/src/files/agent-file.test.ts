import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  appendToAgentFile,
  FileFaults,
  type KnownFile,
  namesIn,
  openLogFile,
  ownerOf,
  readAgentFile,
  readChangedFile,
  readSettingsFile,
  replaceAgentFile,
  statAgentFile,
  withAgentFile,
} from './index.ts';

let folder = '';
const at = (name: string): string => join(folder, name);
const rules = { isOwner: ownerOf(), bytesMax: 1_000 };
const fifo = (name: string): string => {
  execFileSync('mkfifo', [at(name)]);
  return at(name);
};
const link = (name: string, to: string): string => {
  symlinkSync(to, at(name));
  return at(name);
};
const folderNamed = (name: string): string => {
  mkdirSync(at(name));
  return at(name);
};
const sparse = (name: string): string => {
  writeFileSync(at(name), '');
  truncateSync(at(name), 10 * 1024 ** 3);
  return at(name);
};

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holter-files-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

const unusable: [what: string, make: () => string, because: RegExp][] = [
  ['a FIFO', () => fifo('x'), /^is a FIFO$/],
  ['a link to a file', () => link('x', '/etc/hostname'), /^is a symbolic link$/],
  ['a link to nothing', () => link('x', '/nowhere'), /^is a symbolic link$/],
  ['a directory', () => folderNamed('x'), /^is a directory$/],
  ['a device', () => '/dev/zero', /^is a device$/],
  ['10 GB', () => sparse('x'), /^is too large \(10\.7 GB; at most 1 kB\)$/],
];

describe('what an agent puts in place of a file', () => {
  it.each(unusable)('%s is refused in words and not waited for', async (_what, make, because) => {
    const path = make();
    const refused = { kind: 'refused', because: expect.stringMatching(because) };
    expect(await readAgentFile(path, rules)).toEqual(refused);
    expect(await statAgentFile(path, rules)).toEqual(refused);
  });

  it('a socket is refused', async () => {
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    expect(await readAgentFile(at('socket'), rules)).toEqual({ kind: 'refused', because: 'is a socket' });
    server.close();
  });

  it.runIf(process.geteuid?.() === 0)(
    'a file of another user is refused, unless its process is his',
    async () => {
      writeFileSync(at('theirs'), 'x');
      chownSync(at('theirs'), 4_711, 4_711);
      expect(await readAgentFile(at('theirs'), rules)).toEqual({
        kind: 'refused',
        because: 'belongs to another user (4711)',
      });
      const theirs = { ...rules, isOwner: ownerOf(() => 4_711) };
      expect(await readAgentFile(at('theirs'), theirs)).toMatchObject({ kind: 'ok' });
    },
  );

  it('a folder that became a link is noticed', async () => {
    mkdirSync(at('work'));
    writeFileSync(at('work/state'), 'mine');
    const pinned = { ...rules, folder: at('work') };
    expect(await readAgentFile(at('work/state'), pinned)).toMatchObject({ kind: 'ok' });
    renameSync(at('work'), at('elsewhere'));
    symlinkSync(at('elsewhere'), at('work'));
    const refused = { kind: 'refused', because: 'lies in a folder that is a symbolic link now' };
    expect(await readAgentFile(at('work/state'), pinned)).toEqual(refused);
    expect(await replaceAgentFile(at('work/state'), 'x', at('work'))).toEqual(refused);
    expect(readFileSync(at('elsewhere/state'), 'utf8')).toBe('mine');
  });

  it('calls that never return keep nobody else from his files, and their folder is not tried again', async () => {
    const never = new Promise<never>(() => undefined);
    let leave = (): void => undefined;
    const once = new Promise<void>((resolve) => {
      leave = resolve;
    });
    for (const name of ['hung', 'slow', 'fine']) {
      mkdirSync(at(name));
      writeFileSync(at(`${name}/state`), name);
    }
    const late = { kind: 'refused', because: 'does not answer' };
    const stuck = [
      withAgentFile(at('hung/state'), rules, () => never),
      withAgentFile(at('slow/state'), rules, () => once),
    ];
    // Those that wait for their turn are told so, and do not pile up.
    const behind = readAgentFile(at('fine/state'), rules);
    expect(await Promise.all([...stuck, behind])).toEqual([late, late, late]);
    expect(await readAgentFile(at('fine/state'), rules)).toMatchObject({ kind: 'ok' });
    expect(await readAgentFile(at('hung/state'), rules)).toEqual(late);
    leave();
    await expect.poll(() => readAgentFile(at('slow/state'), rules)).toMatchObject({ kind: 'ok' });
  });

  it('many FIFOs take no thread from those that need one', async () => {
    const paths = Array.from({ length: 30 }, (_, n) => fifo(`fifo${n}`));
    const answers = Promise.all(paths.map((path) => readAgentFile(path, rules)));
    expect((await promisify(gzip)('text')).length).toBeGreaterThan(0);
    expect(new Set((await answers).map(({ kind }) => kind))).toEqual(new Set(['refused']));
  });

  it('of a folder with very many files only some are named', async () => {
    for (let n = 0; n < 300; n += 1) writeFileSync(at(`f${n}`), '');
    expect(await namesIn(folder, 50)).toHaveLength(50);
    expect(await namesIn(folder, 1_000)).toHaveLength(300);
    expect(await namesIn(at('none'), 50)).toEqual([]);
  });

  it('a file that is not there is missing, and a good one is read', async () => {
    expect(await readAgentFile(at('none'), rules)).toEqual({ kind: 'missing' });
    expect(await readAgentFile(at('none/none'), rules)).toEqual({ kind: 'missing' });
    writeFileSync(at('good'), 'text');
    const answer = await readAgentFile(at('good'), rules);
    expect(answer.kind === 'ok' && answer.value.content.toString()).toBe('text');
  });

  it('a file that was read twice is read again only when it has changed', async () => {
    const read = async (known?: KnownFile) => {
      const answer = await readChangedFile(at('good'), rules, known);
      if (answer.kind !== 'ok') throw new Error(answer.kind);
      return answer.value;
    };
    writeFileSync(at('good'), 'text');
    const first = await read();
    const second = await read(first);
    expect([first.isSettled, second.isSettled, second === first]).toEqual([false, true, false]);
    expect(await read(second)).toBe(second);
    writeFileSync(at('other'), 'more');
    renameSync(at('other'), at('good'));
    const changed = await read(second);
    expect([changed.content.toString(), changed.isSettled]).toEqual(['more', false]);
    rmSync(at('good'));
    expect(await readChangedFile(at('good'), rules, second)).toEqual({ kind: 'missing' });
  });
});

describe('writing to an agent', () => {
  it('appends to its file, which may be held open', async () => {
    writeFileSync(at('nudges'), 'one\n');
    const { ino } = lstatSync(at('nudges'));
    expect(await appendToAgentFile(at('nudges'), 'two\n', rules)).toEqual({ kind: 'ok', value: undefined });
    expect(readFileSync(at('nudges'), 'utf8')).toBe('one\ntwo\n');
    expect(lstatSync(at('nudges')).ino).toBe(ino);
  });

  it.each(unusable.filter(([what]) => what !== 'a directory' && what !== 'a device'))(
    'replaces %s by a new file',
    async (_what, make) => {
      const path = make();
      expect(await appendToAgentFile(path, 'nudge\n', rules)).toMatchObject({ kind: 'ok' });
      expect(lstatSync(path).isFile()).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe('nudge\n');
      expect(readdirSync(folder)).toEqual(['x']);
    },
  );

  it('follows no link, and changes no file that has a second name', async () => {
    writeFileSync(at('precious'), 'mine');
    link('x', at('precious'));
    linkSync(at('precious'), at('y'));
    for (const name of ['x', 'y']) await appendToAgentFile(at(name), 'nudge\n', rules);
    expect(readFileSync(at('precious'), 'utf8')).toBe('mine');
  });

  it('is refused by a directory, and leaves nothing behind', async () => {
    mkdirSync(at('x'));
    expect(await appendToAgentFile(at('x'), 'nudge\n', rules)).toEqual({
      kind: 'refused',
      because: 'is a directory',
    });
    expect(readdirSync(folder)).toEqual(['x']);
  });
});

describe("the user's own files", () => {
  it('may be links, but nothing that one would wait for', () => {
    writeFileSync(at('real.yaml'), 'a: 1');
    expect(readSettingsFile(link('link.yaml', at('real.yaml')))).toBe('a: 1');
    expect(() => readSettingsFile(fifo('fifo.yaml'))).toThrow('it is a FIFO');
    expect(() => readSettingsFile(link('zero.yaml', '/dev/zero'))).toThrow('it is a device');
    expect(() => readSettingsFile(folder)).toThrow('it is a directory');
    expect(() => readSettingsFile(sparse('big.yaml'))).toThrow('larger than 64 MB');
  });

  it('a log that became a FIFO is moved aside', () => {
    const file = openLogFile(fifo('server.log'));
    appendFileSync(file, 'a line\n');
    expect(readFileSync(at('server.log'), 'utf8')).toBe('a line\n');
    expect(lstatSync(at('server.log.1')).isFIFO()).toBe(true);
  });
});

it('faults are told when they change, and again when they are over', () => {
  const told: (readonly string[])[] = [];
  const faults = new FileFaults((sentences) => void told.push(sentences));
  const refused = { kind: 'refused', because: 'is a FIFO' } as const;
  faults.note('its transcript', { kind: 'missing' });
  faults.note('its transcript', refused);
  faults.note('its transcript', refused);
  faults.note('its nudge file', refused);
  faults.note('its transcript', { kind: 'ok', value: null });
  faults.note('its nudge file', { kind: 'missing' });
  expect(told).toEqual([
    ['its transcript is a FIFO'],
    ['its transcript is a FIFO', 'its nudge file is a FIFO'],
    ['its nudge file is a FIFO'],
    [],
  ]);
});
