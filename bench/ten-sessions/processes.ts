import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** CPU time that a process has used, of all its threads. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process. */
export function megabytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1_024;
}

/** The processes whose command line holds these words one after the other, and whose environment holds the text. */
export function pidsOf(words: readonly string[], environment: string): readonly number[] {
  const mark = `\0${words.join('\0')}\0`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(mark) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(environment);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export async function bareNodeMegabytes(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000); process.stdout.write("up")']);
  await once(child.stdout, 'data');
  const size = megabytes(child.pid ?? 0);
  child.kill('SIGKILL');
  return size;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
