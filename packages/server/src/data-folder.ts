import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readSettingsFile, writeSettingsFile } from './files/settings-file.ts';
import type { TokenRole } from './store/store.ts';
import type { EstopNote } from './upkeep/index.ts';

/** Who serves this folder now, for those who look for a server. It may be stale: the lock is the truth. */
type ServerFile = {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
};

/** Tokens that the first start makes; the command line keeps its own copy of each in the data folder. */
export const FIRST_ROLES = ['operator', 'enroll', 'viewer'] as const satisfies readonly TokenRole[];
export type FirstRole = (typeof FIRST_ROLES)[number];

export { dataFolderPath } from '@holter/agent/transport';

/** Files of one data folder. Everything in it is for its owner's eyes only. */
export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get databaseFile(): string {
    return join(this.path, 'holter.db');
  }

  get lockFile(): string {
    return join(this.path, 'holter.lock');
  }

  get logFile(): string {
    return join(this.path, 'server.log');
  }

  /** Where a command that judges runs. */
  get judgeFolder(): string {
    return join(this.path, 'judge');
  }

  prepare(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    // A folder that was there before keeps its mode otherwise, and tokens lie in it.
    chmodSync(this.path, 0o700);
  }

  tokenFile(role: FirstRole): string {
    return join(this.path, `${role}.token`);
  }

  writeToken(role: FirstRole, secret: string): void {
    writeSettingsFile(this.tokenFile(role), `${secret}\n`);
  }

  readToken(role: FirstRole): string | null {
    return readOrNull(this.tokenFile(role))?.trim() || null;
  }

  writeServer(server: ServerFile): void {
    writeSettingsFile(this.serverFile, `${JSON.stringify(server, null, 2)}\n`);
    writeSettingsFile(this.lastPortFile, `${new URL(server.url).port}\n`);
  }

  /** The port of the last server on this folder, also when it has ended; agents may still report there. */
  readLastPort(): number | null {
    const text = readOrNull(this.lastPortFile)?.trim() ?? '';
    return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
  }

  /** Where the last server on this folder kept its data, without credentials; null if it was in the folder. */
  readDatabase(): string | null {
    return readOrNull(this.databasePlaceFile)?.trim() || null;
  }

  writeDatabase(place: string | null): void {
    if (place === null) rmSync(this.databasePlaceFile, { force: true });
    else writeSettingsFile(this.databasePlaceFile, `${place}\n`);
  }

  readServer(): ServerFile | null {
    const text = readOrNull(this.serverFile);
    if (text === null) return null;
    try {
      const read = JSON.parse(text) as Partial<ServerFile>;
      const { url, pid, version, startedAt } = read;
      if (typeof url !== 'string' || typeof pid !== 'number') return null;
      return { url, pid, version: String(version), startedAt: Number(startedAt) };
    } catch {
      return null;
    }
  }

  /** Only one's own: a successor may already have written its address. */
  removeServer(pid: number): void {
    if (this.readServer()?.pid === pid) rmSync(this.serverFile, { force: true });
  }

  /** Asks the server with this process id to stay, although nobody needs it. */
  askToStay(pid: number): void {
    writeSettingsFile(this.stayFile, `${pid}\n`);
  }

  isAskedToStay(pid: number): boolean {
    return readOrNull(this.stayFile)?.trim() === String(pid);
  }

  /** Only one's own: ids of processes are used again. */
  forgetStay(pid: number): void {
    if (this.isAskedToStay(pid)) rmSync(this.stayFile, { force: true });
  }

  writeEstop(estop: EstopNote): void {
    writeSettingsFile(this.estopFile, `${JSON.stringify(estop, null, 2)}\n`);
  }

  /**
   * Whether acts were stopped. Where servers share a database, those on other machines have to be told: the file says
   * so until a server on this folder has done it.
   */
  liftEstop(): boolean {
    const wasOn = this.readEstop() !== null;
    if (this.readDatabase() === null) this.removeEstop();
    else writeSettingsFile(this.estopFile, `${JSON.stringify({ isLifted: true })}\n`);
    return wasOn;
  }

  removeEstop(): void {
    rmSync(this.estopFile, { force: true });
  }

  readEstop(): EstopNote | null {
    const said = this.readEstopFile();
    return said === 'lifted' ? null : said;
  }

  /** A file that can't be understood stops acts too: somebody has put it there. */
  readEstopFile(): EstopNote | 'lifted' | null {
    const stats = lstatSync(this.estopFile, { throwIfNoEntry: false });
    if (!stats) return null;
    try {
      const said = JSON.parse(readOrNull(this.estopFile) ?? '') as Partial<EstopNote> & { isLifted?: true };
      if (said.isLifted === true) return 'lifted';
      const { at = stats.mtimeMs, by = 'somebody', reason = '', isShared } = said;
      return { at: Number(at), by: String(by), reason: String(reason), ...(isShared && { isShared }) };
    } catch {
      return { at: stats.mtimeMs, by: 'somebody', reason: '' };
    }
  }

  get estopFile(): string {
    return join(this.path, 'estop.json');
  }

  private get stayFile(): string {
    return join(this.path, 'stay');
  }

  private get lastPortFile(): string {
    return join(this.path, 'last-port');
  }

  private get databasePlaceFile(): string {
    return join(this.path, 'database');
  }

  private get serverFile(): string {
    return join(this.path, 'server.json');
  }
}

function readOrNull(file: string): string | null {
  try {
    return readSettingsFile(file);
  } catch {
    return null;
  }
}
