import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
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
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    const kind = kindOf(stats);
    if (kind !== null) throw new Error(`it is ${kind}`);
    if (stats.size > bytesMax) throw new Error(`it is larger than ${bytesMax / 1024 / 1024} MB`);
    const content = Buffer.alloc(stats.size);
    const bytes = readSync(file, content, 0, content.length, 0);
    return content.toString('utf8', 0, bytes);
  } finally {
    closeSync(file);
  }
}

/** Writes the file whole or not at all, and so that others can't read it, not even for a moment. */
export function writeSettingsFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}
