import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { linuxTable } from './linux-table.ts';
import { macTable } from './mac-table.ts';
import type { ProcessTable } from './process-table.ts';

/** The table of the machine that this runs on; null where Holter can't look (Windows). */
export function systemTable(platform: NodeJS.Platform = process.platform): ProcessTable | null {
  if (platform === 'linux') return linuxTable();
  return platform === 'darwin' ? macTable() : null;
}

/** The same for two processes that can see each other. Hosts share names, containers share a machine. */
export function systemHostId(): string {
  const machine = tryTo(() => readFileSync('/etc/machine-id', 'utf8').trim());
  const namespace = tryTo(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), machine, namespace].join(' ');
}

function tryTo(read: () => string): string {
  try {
    return read();
  } catch {
    return '-';
  }
}
