import { linuxTable } from './linux-table.ts';
import { macTable } from './mac-table.ts';
import type { ProcessTable } from './process-table.ts';

/** The table of the machine that this runs on; null where Holter can't look (Windows). */
export function systemTable(platform: NodeJS.Platform = process.platform): ProcessTable | null {
  if (platform === 'linux') return linuxTable();
  return platform === 'darwin' ? macTable() : null;
}
