import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { kindOf } from './agent-file.ts';

/** Some programs keep a history in their settings. */
const BYTES_MAX = 64 * 1024 * 1024;

/**
 * The text of a file that belongs to the user: configuration, settings of a CLI, files of the data folder. It may
 * be a link. Throws in words if it is anything but a file of a sensible size, and never waits for a FIFO.
 */
export function readSettingsFile(path: string, bytesMax = BYTES_MAX): string {
  return readWhole(path, bytesMax).content.toString('utf8');
}

/** Copies such a file whole or not at all, with its mode and owner. */
export function copySettingsFile(from: string, to: string): void {
  const { content, stats } = readWhole(from, BYTES_MAX);
  const draft = draftOf(to);
  writeFileSync(draft, content, { mode: 0o600, flag: 'wx' });
  giveTo(draft, stats);
  chmodSync(draft, stats.mode & 0o7777);
  renameSync(draft, to);
}

/** Only root may give files away; for everybody else they belong to the right user already. */
export function giveTo(path: string, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  const own = statSync(path);
  if (uid !== own.uid || gid !== own.gid) chownSync(path, uid, gid);
}

function readWhole(path: string, bytesMax: number): { readonly content: Buffer; readonly stats: Stats } {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    const kind = kindOf(stats);
    if (kind !== null) throw new Error(`it is ${kind}`);
    if (stats.size > bytesMax) throw new Error(`it is larger than ${bytesMax / 1024 / 1024} MB`);
    const content = Buffer.alloc(stats.size);
    return { content: content.subarray(0, readSync(file, content, 0, content.length, 0)), stats };
  } finally {
    closeSync(file);
  }
}

/** Writes the file whole or not at all, and so that others can't read it, not even for a moment. */
export function writeSettingsFile(path: string, text: string): void {
  const draft = draftOf(path);
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

function draftOf(path: string): string {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  return draft;
}
