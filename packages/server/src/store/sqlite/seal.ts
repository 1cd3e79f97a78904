import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import type Database from 'libsql';
import { readSettingsFile, writeSettingsFile } from '../../files/index.ts';
import { StoreUnavailable } from '../store.ts';
import { problemsOf } from './check.ts';

/**
 * Tells the database that a server of this folder wrote last from any other file in its place: an older copy,
 * another database, half a file. No page is read for it: SQLite's header has two numbers for applications, and
 * they hold an id and a generation that every server raises at its start and a few times a minute. Each time the
 * write-ahead log is moved into the file, so that the header on disk has the new generation, and only then the
 * generation is written to a small file beside it. So a crash at any point leaves a database that is as new as that
 * file says, or newer, and an older one is somebody's copy.
 */
export class Seal {
  private readonly path: string;
  private last: Sealed | null = null;
  /**
   * Open for as long as SQLite has the database open. Closing any descriptor of a file drops all locks that the process
   * holds on it: another process that closes the database would then take itself for the last one, and delete the
   * write-ahead log.
   */
  private file: number | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Throws if the file must not be opened. With `isAccepted` only damage counts. */
  verify(isAccepted: boolean): void {
    const known = readNote(this.path);
    const header = readHeader(this.path);
    if (header) refuseCut(header, known, bytesOf(`${this.path}-wal`));
    const fault = faultOf(header, known);
    if (fault === null) return;
    if (!isAccepted) throw fault;
    // The log of another database would be taken for this one's, and mixed into it.
    if (bytesOf(`${this.path}-wal`) > 0) renameSync(`${this.path}-wal`, `${this.path}-wal.not-restored`);
    rmSync(`${this.path}-shm`, { force: true });
  }

  /** Called once the file is open. Reads all of it if it was accepted, or if damage was seen in it before. */
  begin(database: Database.Database, isAccepted: boolean): void {
    const known = readNote(this.path);
    const isDoubtful = isAccepted || known?.isDamaged === true;
    const [problem] = isDoubtful ? problemsOf(database) : [];
    if (problem !== undefined) throw new StoreUnavailable('corrupt', problem);
    const id = numberOf(database, 'application_id');
    if (id === 0) database.exec(`pragma application_id = ${newId(database)}`);
    this.raise(database, Math.max(numberOf(database, 'user_version'), known?.generation ?? 0) + 1);
  }

  /**
   * Throws if the content of the file is not what was sealed last; else seals it again. Does nothing while the path
   * leads to another file or to none: that is no damage, and the file may come back.
   */
  renew(database: Database.Database): void {
    if (this.last === null) return;
    const header = this.header();
    if (header === null) return;
    this.refuseChanged(this.last, header);
    this.raise(database, this.last.generation + 1);
  }

  /** The next start reads the whole file before it uses it. */
  noteDamage(): void {
    const known = readNote(this.path);
    if (known) tryToWrite(this.path, { ...known, isDamaged: true });
  }

  /** What was written since does not belong to the file that is there now; SQLite would put it there when it closes. */
  discardLog(): void {
    const wal = `${this.path}-wal`;
    if (this.last?.wal === inodeOf(wal)) truncateSync(wal, 0);
  }

  /** Called once SQLite has closed the database. */
  release(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  /** The header of the file that SQLite has open; null while another file, or none, is at its path. */
  private header(): Header | null {
    const there = statSync(this.path, { throwIfNoEntry: false });
    if (!there) return null;
    this.file ??= openSync(this.path, 'r');
    const ours = fstatSync(this.file);
    if (ours.ino !== there.ino || ours.dev !== there.dev) return null;
    if (ours.size === 0) throw cut(this.path, 0, this.last?.bytes ?? 0);
    return headerIn(this.file);
  }

  private raise(database: Database.Database, generation: number): void {
    database.exec(`pragma user_version = ${generation}`);
    const [moved] = database.prepare('pragma wal_checkpoint(passive)').all([]) as {
      readonly log: number;
      readonly checkpointed: number;
    }[];
    // A reader may have kept SQLite from moving all of it; then the file is not synced either.
    const isMoved = moved !== undefined && moved.log === moved.checkpointed;
    const header = this.header();
    // The file was moved away a moment ago, and has this generation when it comes back.
    if (!header && this.last) this.last = { ...this.last, generation };
    const onDiskMin = isMoved ? generation : (this.last?.onDisk ?? 0);
    // Overwritten a moment ago: what is known stays as it is, and the next look says so.
    if (!header || header.generation < onDiskMin || header.generation > generation) return;
    // SQLite keeps one log as long as the file is open.
    const wal = this.last ? this.last.wal : inodeOf(`${this.path}-wal`);
    this.last = { ...header, generation, onDisk: header.generation, wal };
    if (isMoved) tryToWrite(this.path, { id: header.id, generation, bytes: header.bytes });
  }

  private refuseChanged(last: Sealed, header: Header): void {
    if (header.id !== last.id || header.generation < last.onDisk || header.generation > last.generation)
      throw exchanged('another copy of the database was written over it');
    if (header.bytes < last.bytes) throw cut(this.path, header.bytes, last.bytes);
    if (inodeOf(`${this.path}-wal`) !== last.wal)
      throw exchanged('its write-ahead log was removed or exchanged');
  }
}

/** Why the database at this path must not be used as it is; null if nothing speaks against it. */
export function sealFault(path: string): StoreUnavailable | null {
  try {
    new Seal(path).verify(false);
    return null;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}

/** What the file beside the database says. `bytes` is how long the database was. */
type Note = {
  readonly id: number;
  readonly generation: number;
  readonly bytes: number;
  readonly isDamaged?: true;
};

type Header = {
  readonly id: number;
  readonly generation: number;
  readonly bytes: number;
  readonly wanted: number;
};

/** `onDisk` is the generation in the file, which may be one behind; `wal` is the inode of the write-ahead log. */
type Sealed = Header & { readonly onDisk: number; readonly wal: number | null };

function faultOf(header: Header | null, known: Note | null): StoreUnavailable | null {
  if (known === null) return null;
  if (header === null) return new StoreUnavailable('missing', 'the database of this folder is gone');
  if (header.generation < known.generation)
    return exchanged(
      `it is an older copy (generation ${header.generation}; this folder has reached ${known.generation})`,
    );
  return header.id === known.id ? null : exchanged('it is the database of another folder');
}

/** With a write-ahead log, pages beyond the end may be in there; but the file itself never becomes shorter. */
function refuseCut({ bytes, wanted }: Header, known: Note | null, walBytes: number): void {
  if (wanted > bytes && (walBytes === 0 || bytes < (known?.bytes ?? 0))) throw cut('it', bytes, wanted);
}

const cut = (what: string, bytes: number, wanted: number): StoreUnavailable =>
  new StoreUnavailable('corrupt', `${what} was cut off: ${bytes} of ${wanted} bytes are left`);

const exchanged = (what: string): StoreUnavailable => new StoreUnavailable('exchanged', what);

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** Only for a file that this process has not open otherwise. Null when there is no file, or an empty one. */
function readHeader(path: string): Header | null {
  if (bytesOf(path) === 0) return null;
  const file = openSync(path, 'r');
  try {
    return headerIn(file);
  } finally {
    closeSync(file);
  }
}

/** As https://www.sqlite.org/fileformat.html describes it. */
function headerIn(file: number): Header {
  const bytes = fstatSync(file).size;
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file, header, 0, HEADER_BYTES, 0);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new StoreUnavailable('corrupt', 'it does not begin like a database');
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // The number of pages counts only if the same version of SQLite wrote it that changed the file last.
  const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92);
  const wanted = isCounted ? header.readUInt32BE(28) * pageBytes : 0;
  return { id: header.readInt32BE(68), generation: header.readInt32BE(60), bytes, wanted };
}

const noteFile = (path: string): string => `${path}.seal`;

/** Null if there is none; one that can't be read tells nothing. */
function readNote(path: string): Note | null {
  try {
    const { id, generation, bytes, isDamaged } = JSON.parse(readSettingsFile(noteFile(path), 10_000)) as Note;
    if (![id, generation, bytes].every(Number.isSafeInteger)) return null;
    return { id, generation, bytes, ...(isDamaged === true && { isDamaged }) };
  } catch {
    return null;
  }
}

/** An older note is as good: it refuses less. */
function tryToWrite(path: string, note: Note): void {
  try {
    writeSettingsFile(noteFile(path), `${JSON.stringify(note)}\n`);
  } catch {
    // The disk is full; the next seal tries again.
  }
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const inodeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.ino ?? null;

function numberOf(database: Database.Database, pragma: 'application_id' | 'user_version'): number {
  const [row] = database.prepare(`pragma ${pragma}`).all([]) as Readonly<Record<string, number>>[];
  return row?.[pragma] ?? 0;
}

/** SQLite's dice: this thread has none of its own. */
function newId(database: Database.Database): number {
  const [row] = database.prepare('select 1 + abs(random() % 2147483646) as id').all([]) as {
    readonly id: number;
  }[];
  return row?.id ?? 1;
}
