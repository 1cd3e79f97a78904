import { execFileSync } from 'node:child_process';
import type { ProcessRow, ProcessTable, RowState } from './process-table.ts';

/** Text of a command, or null when it failed: `ps -p` of a pid that is gone ends with 1. */
type Ask = (command: string, args: readonly string[]) => string | null;

const COLUMNS = 'pid=,ppid=,pgid=,stat=,time=,rss=,lstart=';

/** macOS has no /proc; `ps` knows the same things, to the second where Linux knows hundredths. */
export function macTable(ask: Ask = run): ProcessTable {
  const bootId = (ask('sysctl', ['-n', 'kern.bootsessionuuid']) ?? 'unknown-boot').trim();
  const rows = (args: readonly string[]): readonly ProcessRow[] =>
    (ask('ps', [...args, '-o', COLUMNS]) ?? '').split('\n').flatMap((line) => parsePsLine(line) ?? []);
  const all = (): readonly ProcessRow[] => rows(['-ax']);
  return {
    bootId,
    row: (pid) => rows(['-p', String(pid)])[0] ?? null,
    rows: all,
    childPids: (pid) => all().flatMap((row) => (row.parentPid === pid ? row.pid : [])),
    userOf: (pid) => {
      const user = (ask('ps', ['-p', String(pid), '-o', 'uid=']) ?? '').trim();
      return /^\d+$/.test(user) ? Number(user) : null;
    },
    // Only with rights that a user's program does not have.
    ioBytes: () => null,
    // `ps` joins the words with blanks: enough to recognise a program, unless its path has a blank.
    argv: (pid) => (ask('ps', ['-ww', '-p', String(pid), '-o', 'args=']) ?? '').trim().split(' '),
    environment: () => null,
    pidsMarked: (marker) => parseMarked(ask('ps', ['-axEww', '-o', 'pid=,command=']) ?? '', marker),
  };
}

const states: Readonly<Record<string, RowState>> = {
  R: 'running',
  S: 'sleeping',
  I: 'sleeping',
  U: 'uninterruptible',
  T: 'stopped',
  Z: 'zombie',
};

/** ` 1234     1  1234 S+     0:01.25  10240 Sun Nov 15 09:30:00 2026` */
export function parsePsLine(line: string): ProcessRow | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(?:(\d+)-)?([\d:.]+)\s+(\d+)\s+(\S.*\S)\s*$/.exec(line);
  if (!match) return null;
  const [, pid, parentPid, groupId, state = '', days, time = '', kilobytes, startedAt = ''] = match;
  return {
    pid: Number(pid),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    state: states[state[0] ?? ''] ?? 'sleeping',
    startedAt: startedAt.replace(/\s+/g, ' '),
    cpuMs: (Number(days ?? 0) * 86_400 + secondsOf(time)) * 1_000,
    reapedCpuMs: 0,
    memoryBytes: Number(kilobytes) * 1024,
  };
}

/** `1:02:03.45`, `2:03.45` or `3.45`. */
const secondsOf = (time: string): number => time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** With -E the environment follows the command, word by word. */
export function parseMarked(text: string, marker: string): readonly number[] {
  return text
    .split('\n')
    .filter((line) => line.trimEnd().split(' ').includes(marker))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid > 0);
}

function run(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      // Dates in one language, whatever the user speaks: they are compared as text.
      env: { PATH: '/bin:/usr/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    return null;
  }
}
