import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RotatingLog } from './rotating-log.ts';

let folder: string;
let path: string;
let log: RotatingLog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-log-'));
  path = join(folder, 'server.log');
  log = new RotatingLog();
});
afterEach(() => {
  log.close();
  rmSync(folder, { recursive: true, force: true });
});

const line = (n: number): string => `${String(n).padStart(9, '0')}\n`;
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

it('keeps a bounded number of files of a bounded size, and no line is torn or lost in between', () => {
  log.open(path, { bytesMax: 30, filesMax: 3 });
  for (let n = 0; n < 11; n += 1) log.write(line(n));
  expect(read('server.log')).toBe(line(9) + line(10));
  expect(read('server.log.1')).toBe(line(6) + line(7) + line(8));
  expect(read('server.log.2')).toBe(line(3) + line(4) + line(5));
  expect(existsSync(`${path}.3`)).toBe(false);
  for (const name of ['server.log', 'server.log.1'])
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

it('shares its file with the error output of its process', () => {
  const errors = openSync(path, 'a');
  log.open(path, { bytesMax: 30, filesMax: 2 });
  expect([log.isSameAs(errors), log.isSameAs(0)]).toEqual([true, false]);
  writeSync(errors, 'Error: 7\n');
  for (let n = 0; n < 3; n += 1) log.write(line(n));
  writeSync(errors, 'Error: 8\n');
  expect(read('server.log.1')).toBe(`Error: 7\n${line(0)}${line(1)}`);
  expect(read('server.log')).toBe(`${line(2)}Error: 8\n`);
  closeSync(errors);
});

it('goes on after a start, and with other limits', () => {
  log.open(path, { bytesMax: 1_000, filesMax: 2 });
  log.write(line(1));
  log.close();
  log.write('lost');
  log.open(path, { bytesMax: 1_000, filesMax: 2 });
  log.write(line(2));
  log.setLimits({ bytesMax: 20, filesMax: 1 });
  log.write(line(3));
  expect(read('server.log')).toBe(line(3));
  expect(existsSync(`${path}.1`)).toBe(false);
});

it('does not stop anything where it cannot write', () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0o500);
  log.open(join(closed, 'missing', 'server.log'), { bytesMax: 30, filesMax: 3 });
  log.write('into nothing');
  expect(log.isSameAs(2)).toBe(false);
});
