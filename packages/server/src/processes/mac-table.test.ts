import { expect, it } from 'vitest';
import { macTable, parseMarked, parsePsLine } from './mac-table.ts';

// As macOS 14 prints it.
const sample = [
  '    1     0     1 Ss     12:33.05  22784 Sat Nov  7 08:12:40 2026',
  ' 4711     1  4711 S+      0:01.25  10240 Sun Nov 15 09:30:00 2026',
  ' 4712  4711  4711 T       0:00.00    512 Sun Nov 15 09:30:02 2026',
  ' 4713  4711  4713 U    1-02:03:04.50 512 Sun Nov 15 09:30:02 2026',
].join('\n');

const ask = (command: string, args: readonly string[]): string | null => {
  if (command === 'sysctl') return '8B1B7C6E-0000-4000-8000-000000000001\n';
  if (args[0] !== '-p') return sample;
  return sample.split('\n').find((line) => line.trim().startsWith(`${args[1]} `)) ?? null;
};

it('reads ps as macOS prints it', () => {
  const table = macTable(ask);
  expect(table.bootId).toBe('8B1B7C6E-0000-4000-8000-000000000001');
  expect(table.row(4711)).toEqual({
    pid: 4711,
    parentPid: 1,
    groupId: 4711,
    state: 'sleeping',
    startedAt: 'Sun Nov 15 09:30:00 2026',
    cpuMs: 1_250,
    reapedCpuMs: 0,
    memoryBytes: 10_240 * 1024,
  });
  expect(table.row(99)).toBeNull();
  expect(table.childPids(4711)).toEqual([4712, 4713]);
  expect(table.rows().map(({ state }) => state)).toEqual([
    'sleeping',
    'sleeping',
    'stopped',
    'uninterruptible',
  ]);
  expect(table.row(4713)?.cpuMs).toBe((26 * 3_600 + 3 * 60 + 4.5) * 1_000);
});

it('takes a line that it does not understand for no process', () => {
  for (const line of ['', 'ps: illegal option', '12 34']) expect(parsePsLine(line)).toBeNull();
});

it('finds the marked ones, word by word', () => {
  const text = [
    ' 10 /bin/sh -c x HOLTER_RUN_ID=abc LANG=de',
    ' 11 /bin/sh HOLTER_RUN_ID=abcd',
    ' 12 top',
  ].join('\n');
  expect(parseMarked(text, 'HOLTER_RUN_ID=abc')).toEqual([10]);
});
