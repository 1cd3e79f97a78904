import type { FileHandle } from 'node:fs/promises';
import { type FileAnswer, ownerOf, readUpTo, statAgentFile, withAgentFile } from '../../files/index.ts';

/** A line and the position after it: what lies behind it has been read. */
type TailedLine = { readonly text: string; readonly end: number };

const CHUNK_BYTES = 256 * 1024;
/** One look reads this much at most; the next one goes on from there. */
const LOOK_BYTES_MAX = 8 * 1024 * 1024;
/** Lines of one look: a file of empty lines must not become millions of texts. */
const LINES_MAX = 20_000;
/** A longer line is somebody's picture or a broken file; it is passed over. Parsing one this long takes 0.1 s. */
const LINE_BYTES_MAX = 1024 * 1024;
/** Brackets within brackets cost the parser most; a long line with so many is passed over as well. */
const DEPTH_MAX = 200;
const SHORT_BYTES = 64 * 1024;
/** More than any conversation. */
const FILE_BYTES_MAX = 2 * 1024 ** 3;
const NEWLINE = 10;

type Found = {
  readonly lines: readonly TailedLine[];
  readonly offset: number;
  readonly inode: number;
  /** Of the file, if all of it was read; else null. */
  readonly size: number | null;
};

/** What following needs to know beside the file. */
export type LineTailOptions = {
  /** The user of the agent's process; null if it is not known. */
  readonly user?: () => number | null;
  /** Told at each look whether the file could be used. */
  readonly noted?: (answer: FileAnswer<unknown>) => void;
};

/**
 * Follows a file that another program appends to. A line counts when its end is there: one that is being
 * written is read again at the next look. A file that became shorter, or another file of the same name, is
 * read from its beginning.
 */
export class LineTail {
  private readonly file: string;
  private readonly options: LineTailOptions;
  private offset: number;
  private inode: number | null = null;
  private size: number | null = null;

  /** From this position on. */
  constructor(file: string, from: number, options: LineTailOptions = {}) {
    this.file = file;
    this.offset = from;
    this.options = options;
  }

  /** All complete lines since the last look. A file that is not there, or is none, has no lines. */
  async look(): Promise<readonly TailedLine[]> {
    const { user, noted } = this.options;
    const rules = { isOwner: ownerOf(user), bytesMax: FILE_BYTES_MAX };
    // Most looks find nothing new, and opening the file takes four more calls.
    const seen = this.size === null ? null : await statAgentFile(this.file, rules);
    if (seen?.kind === 'ok' && seen.value.ino === this.inode && seen.value.size === this.size) {
      noted?.(seen);
      return [];
    }
    const answer = await withAgentFile(this.file, rules, (handle, { size, ino }) => {
      const isOther = this.inode !== null && this.inode !== ino;
      const start = isOther || size < this.offset ? 0 : this.offset;
      return linesOf(handle, start, { size, ino });
    });
    noted?.(answer);
    if (answer.kind !== 'ok') return [];
    this.offset = answer.value.offset;
    this.inode = answer.value.inode;
    this.size = answer.value.size;
    return answer.value.lines;
  }
}

async function linesOf(
  handle: FileHandle,
  from: number,
  { size, ino: inode }: { readonly size: number; readonly ino: number },
): Promise<Found> {
  const end = Math.min(size, from + LOOK_BYTES_MAX);
  const lines: TailedLine[] = [];
  let offset = from;
  let rest: Buffer[] = [];
  let restBytes = 0;
  for (let position = from; position < end && lines.length < LINES_MAX; ) {
    const chunk = await readUpTo(handle, Math.min(CHUNK_BYTES, end - position), position);
    if (chunk.length === 0) break;
    position += chunk.length;
    let start = 0;
    for (
      let at = chunk.indexOf(NEWLINE);
      at >= 0 && lines.length < LINES_MAX;
      at = chunk.indexOf(NEWLINE, start)
    ) {
      const bytes = restBytes + at - start;
      offset += bytes + 1;
      const line = bytes <= LINE_BYTES_MAX ? Buffer.concat([...rest, chunk.subarray(start, at)]) : null;
      if (line && (bytes <= SHORT_BYTES || !isDeep(line))) lines.push({ text: line.toString(), end: offset });
      rest = [];
      restBytes = 0;
      start = at + 1;
    }
    rest.push(chunk.subarray(start));
    restBytes += chunk.length - start;
    // Without an end for so long it will not become a line that is worth keeping.
    if (restBytes > LINE_BYTES_MAX) {
      offset += restBytes;
      rest = [];
      restBytes = 0;
    }
  }
  return { lines, offset, inode, size: end === size && lines.length < LINES_MAX ? size : null };
}

/** Whether brackets are nested deeper than in any record, outside of strings. */
function isDeep(json: Buffer): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_RECORD) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_RECORD) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_RECORD, CLOSE_RECORD] = Buffer.from('"\\[]{}');
