import { describe, expect, it } from 'vitest';
import {
  linuxTable,
  pageBytesOf,
  parseIo,
  parseList,
  parseStat,
  parseUser,
  parseVariables,
} from './linux-table.ts';

const stat = (name: string, state = 'S'): string =>
  `4711 (${name}) ${state} 4710 4711 4711 34816 4711 4194304 1 2 3 4 150 50 20 10 20 0 11 0 98765 1000000 2048 18446744073709551615`;

describe('/proc/<pid>/stat', () => {
  it('is read after the last bracket, for a name may hold anything', () => {
    for (const name of ['node', '2.1.7', 'a) R 1 1 (b', 'tmux: server', '']) {
      expect(parseStat(stat(name))).toEqual({
        pid: 4711,
        parentPid: 4710,
        groupId: 4711,
        state: 'sleeping',
        startedAt: '98765',
        cpuMs: 2_000,
        reapedCpuMs: 300,
        memoryBytes: 2048 * 4096,
      });
    }
  });

  it.each([
    ['R', 'running'],
    ['D', 'uninterruptible'],
    ['T', 'stopped'],
    ['t', 'stopped'],
    ['Z', 'zombie'],
    ['I', 'sleeping'],
  ])('says that %s is %s', (letter, state) => {
    expect(parseStat(stat('x', letter))?.state).toBe(state);
  });

  it('is nothing when it can not be read, or is torn', () => {
    for (const text of [null, '', '4711', '4711 (no']) expect(parseStat(text)).toBeNull();
  });

  it('counts pages of the size that they have', () => {
    const status = 'VmPeak:\t 9 kB\nVmRSS:\t   32768 kB\n';
    expect(pageBytesOf(stat('x'), status)).toBe(16_384);
    expect(pageBytesOf(null, status)).toBe(4_096);
  });
});

it('adds up what was read and written', () => {
  expect(parseIo('rchar: 10\nwchar: 5\nsyscr: 7\n')).toBe(15);
  expect(parseIo('')).toBeNull();
  expect(parseIo(null)).toBeNull();
  expect(parseUser('Name:\tsu\nUid:\t1000\t0\t0\t0\nGid:\t1\t2\t3\t4\n')).toBe(0);
  expect(parseUser(null)).toBeNull();
  expect(linuxTable().userOf(process.pid)).toBe(process.geteuid?.());
});

it('knows this very process', () => {
  if (process.platform !== 'linux') return;
  const table = linuxTable();
  expect(table.row(process.pid)).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  expect(table.row(process.pid)?.memoryBytes).toBeGreaterThan(10_000_000);
  expect(table.rows().length).toBeGreaterThan(1);
  expect(table.bootId).toMatch(/^[0-9a-f-]{36} pid:\[\d+\]$/);
});

it('reads command lines and environments, whose words may be empty', () => {
  expect(parseList('node\0/opt/my agent\0\0--x\0')).toEqual(['node', '/opt/my agent', '', '--x']);
  expect(parseVariables(['A=1', 'B=x=y', 'C=', '=odd', 'none'])).toEqual({ A: '1', B: 'x=y', C: '' });
  // A process of the kernel, and one that has ended.
  for (const text of ['', null]) expect(parseList(text)).toBeNull();
  expect(parseVariables(null)).toBeNull();
});
