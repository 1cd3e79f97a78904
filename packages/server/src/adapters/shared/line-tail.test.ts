import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LineTail } from './line-tail.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-tail-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textsOf = async (tail: LineTail) => (await tail.look()).map(({ text }) => text);

test('a torn line counts when its end is there, and nothing counts twice', async () => {
  const file = join(folder, 'torn.jsonl');
  const tail = new LineTail(file, 0);
  expect(await textsOf(tail)).toEqual([]);
  writeFileSync(file, 'one\ntw');
  expect(await textsOf(tail)).toEqual(['one']);
  expect(await textsOf(tail)).toEqual([]);
  appendFileSync(file, 'o – zwei\n');
  expect(await tail.look()).toEqual([{ text: 'two – zwei', end: 17 }]);
});

test('a thousand lines at once, longer than a chunk, and one that is too long', async () => {
  const file = join(folder, 'many.jsonl');
  const lines = Array.from({ length: 1_000 }, (_, n) => `${n} ${'ä'.repeat(600)}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const tail = new LineTail(file, 0);
  expect(await textsOf(tail)).toEqual(lines);
  appendFileSync(file, `${'x'.repeat(5 * 1024 * 1024)}\nafter\n`);
  expect((await textsOf(tail)).at(-1)).toBe('after');
});

test('a file of short lines is read in parts, and no line is lost', async () => {
  const file = join(folder, 'short-lines.jsonl');
  writeFileSync(file, '\n{}\n'.repeat(25_000));
  const tail = new LineTail(file, 0);
  const looks: number[] = [];
  for (let lines = await tail.look(); lines.length > 0; lines = await tail.look()) looks.push(lines.length);
  expect(looks).toEqual([20_000, 20_000, 10_000]);
});

test('a long line of brackets within brackets is passed over, and one with brackets in its text is not', async () => {
  const file = join(folder, 'deep.jsonl');
  const harmless = JSON.stringify({ text: '[{"\\'.repeat(20_000), list: [[{}]] });
  writeFileSync(file, `${'['.repeat(50_000)}${']'.repeat(50_000)}\n${harmless}\n`);
  expect(await textsOf(new LineTail(file, 0))).toEqual([harmless]);
});

test('a file that became shorter, or another of its name, is read from its beginning', async () => {
  const file = join(folder, 'short.jsonl');
  writeFileSync(file, 'a\nb\nc\n');
  const tail = new LineTail(file, 4);
  expect(await textsOf(tail)).toEqual(['c']);
  writeFileSync(file, 'd\n');
  expect(await textsOf(tail)).toEqual(['d']);
  rmSync(file);
  expect(await textsOf(tail)).toEqual([]);
  writeFileSync(`${file}.new`, 'e\nf\ng\n');
  rmSync(file, { force: true });
  writeFileSync(file, 'e\nf\ng\n');
  expect((await textsOf(tail)).at(-1)).toBe('g');
});

test('what is no file has no lines, is reported, and is followed again when it is one', async () => {
  const file = join(folder, 'fifo.jsonl');
  const answers: string[] = [];
  const tail = new LineTail(file, 0, {
    noted: (answer) => void answers.push(answer.kind === 'refused' ? answer.because : answer.kind),
  });
  execFileSync('mkfifo', [file]);
  expect(await textsOf(tail)).toEqual([]);
  rmSync(file);
  symlinkSync('/etc/hostname', file);
  expect(await textsOf(tail)).toEqual([]);
  rmSync(file);
  writeFileSync(file, '');
  truncateSync(file, 10 * 1024 ** 3);
  expect(await textsOf(tail)).toEqual([]);
  rmSync(file);
  writeFileSync(file, 'back\n');
  expect(await textsOf(tail)).toEqual(['back']);
  expect(answers).toEqual([
    'is a FIFO',
    'is a symbolic link',
    'is too large (10.7 GB; at most 2.1 GB)',
    'ok',
  ]);
});
