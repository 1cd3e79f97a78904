import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessRow, ProcessTable, RowState } from './process-table.ts';

/** USER_HZ is 100 on every architecture that Node runs on. */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

/** Linux, by reading /proc. Everything may vanish between two reads; that is an answer, not an error. */
export function linuxTable(proc = '/proc'): ProcessTable {
  const boot = (read(`${proc}/sys/kernel/random/boot_id`) ?? 'unknown-boot').trim();
  // Containers share the boot, but not the pids: a pid of another namespace says nothing here.
  const bootId = `${boot} ${namespaceOf(proc)}`;
  const pageBytes = pageBytesOf(read(`${proc}/self/stat`), read(`${proc}/self/status`));
  const row = (pid: number): ProcessRow | null => parseStat(read(`${proc}/${pid}/stat`), pageBytes);
  const pids = (): number[] => list(proc).filter(isNumber).map(Number);
  return {
    bootId,
    row,
    rows: () => pids().flatMap((pid) => row(pid) ?? []),
    childPids: (pid) => {
      const found: number[] = [];
      // A child is listed at the thread that made it.
      for (const thread of list(`${proc}/${pid}/task`)) {
        const text = read(`${proc}/${pid}/task/${thread}/children`);
        if (text !== null) found.push(...text.split(' ').filter(isNumber).map(Number));
      }
      return found;
    },
    userOf: (pid) => parseUser(read(`${proc}/${pid}/status`)),
    ioBytes: (pid) => parseIo(read(`${proc}/${pid}/io`)),
    argv: (pid) => parseList(readUtf8(`${proc}/${pid}/cmdline`)),
    environment: (pid) => parseVariables(parseList(readUtf8(`${proc}/${pid}/environ`))),
    pidsMarked: (marker) => pids().filter((pid) => hasVariable(read(`${proc}/${pid}/environ`), marker)),
  };
}

const states: Readonly<Record<string, RowState>> = {
  R: 'running',
  S: 'sleeping',
  I: 'sleeping',
  D: 'uninterruptible',
  T: 'stopped',
  t: 'stopped',
  Z: 'zombie',
  X: 'zombie',
};

/** proc(5). The second field is the name in brackets, and a name may hold anything, brackets too. */
export function parseStat(text: string | null, pageBytes = PAGE_BYTES): ProcessRow | null {
  if (text === null) return null;
  const nameEnd = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  if (nameEnd < 0 || !(pid > 0)) return null;
  // Field 3 of the manual page is the first one here.
  const fields = text.slice(nameEnd + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3] ?? 0);
  return {
    pid,
    parentPid: field(4),
    groupId: field(5),
    state: states[fields[0] ?? ''] ?? 'sleeping',
    startedAt: fields[22 - 3] ?? '',
    cpuMs: (field(14) + field(15)) * MS_PER_TICK,
    reapedCpuMs: (field(16) + field(17)) * MS_PER_TICK,
    memoryBytes: field(24) * pageBytes,
  };
}

/** Pages are 4, 16 or 64 KiB; one's own memory, told in pages and in kilobytes, says which. */
export function pageBytesOf(stat: string | null, status: string | null): number {
  const pages = parseStat(stat, 1)?.memoryBytes ?? 0;
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status ?? '')?.[1] ?? 0);
  if (pages <= 0 || kilobytes <= 0) return PAGE_BYTES;
  return 2 ** Math.round(Math.log2((kilobytes * 1024) / pages));
}

/** `Uid: real effective saved file-system`; the effective one owns the files that it makes. */
export function parseUser(text: string | null): number | null {
  const user = /^Uid:\s+\d+\s+(\d+)/m.exec(text ?? '')?.[1];
  return user === undefined ? null : Number(user);
}

export function parseIo(text: string | null): number | null {
  const reads = /^rchar: (\d+)$/m.exec(text ?? '');
  const writes = /^wchar: (\d+)$/m.exec(text ?? '');
  return reads && writes ? Number(reads[1]) + Number(writes[1]) : null;
}

/** Each part ends with a zero byte. A process that has ended, or belongs to the kernel, has none. */
export function parseList(text: string | null): readonly string[] | null {
  return text === null || text === '' ? null : text.replace(/\0$/, '').split('\0');
}

export function parseVariables(list: readonly string[] | null): Readonly<Record<string, string>> | null {
  return (
    list &&
    Object.fromEntries(
      list.flatMap((entry) => {
        const at = entry.indexOf('=');
        return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
      }),
    )
  );
}

function hasVariable(environ: string | null, variable: string): boolean {
  return environ !== null && (environ.startsWith(`${variable}\0`) || environ.includes(`\0${variable}\0`));
}

function namespaceOf(proc: string): string {
  try {
    return readlinkSync(`${proc}/self/ns/pid`);
  } catch {
    return 'pid:[unknown]';
  }
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

const readUtf8 = (path: string): string | null => read(path, 'utf8');

function read(path: string, encoding: 'latin1' | 'utf8' = 'latin1'): string | null {
  try {
    return readFileSync(path, encoding);
  } catch {
    return null;
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
