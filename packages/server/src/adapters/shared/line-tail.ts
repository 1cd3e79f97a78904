import { type FileHandle, open } from 'node:fs/promises';

/** A line and the position after it: what lies behind it has been read. */
type TailedLine = { readonly text: string; readonly end: number };

const CHUNK_BYTES = 256 * 1024;
/** One look reads this much at most; the next one goes on from there. */
const LOOK_BYTES_MAX = 8 * 1024 * 1024;
/** A longer line is somebody's picture or a broken file; it is passed over. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
const NEWLINE = 10;

/**
 * Follows a file that another program appends to. A line counts when its end is there: one that is being
 * written is read again at the next look. A file that became shorter, or another file of the same name, is
 * read from its beginning.
 */
export class LineTail {
  private readonly file: string;
  private offset: number;
  private inode: number | null = null;

  /** From this position on. */
  constructor(file: string, from: number) {
    this.file = file;
    this.offset = from;
  }

  /** All complete lines since the last look. A file that is not there has none. */
  async look(): Promise<readonly TailedLine[]> {
    const handle = await open(this.file, 'r').catch(() => null);
    if (!handle) return [];
    try {
      const { size, ino } = await handle.stat();
      const isOther = this.inode !== null && this.inode !== ino;
      this.inode = ino;
      if (isOther || size < this.offset) this.offset = 0;
      return await this.read(handle, Math.min(size, this.offset + LOOK_BYTES_MAX));
    } finally {
      await handle.close();
    }
  }

  private async read(handle: FileHandle, end: number): Promise<readonly TailedLine[]> {
    const lines: TailedLine[] = [];
    let start = this.offset;
    let rest: Buffer = Buffer.alloc(0);
    for (let position = start; position < end; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      rest =
        rest.length === 0
          ? chunk.subarray(0, bytesRead)
          : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
        start += at + 1;
        if (at <= LINE_BYTES_MAX) lines.push({ text: rest.toString('utf8', 0, at), end: start });
        rest = rest.subarray(at + 1);
      }
      // Without an end for so long it will not become a line that is worth keeping.
      if (rest.length > LINE_BYTES_MAX) {
        start += rest.length;
        rest = Buffer.alloc(0);
      }
    }
    this.offset = start;
    return lines;
  }
}
