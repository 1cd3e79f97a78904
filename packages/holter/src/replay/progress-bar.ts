import type { Io } from '../terminal/io.ts';

const WIDTH = 30;
const REDRAW_BYTES = 4 * 1_024 * 1_024;

type ProgressBar = { readonly at: (bytes: number, file: string) => void; readonly done: () => void };

/** Printed on stderr, and only if it is a terminal, so that piped output stays clean. */
export function progressBar(io: Io, totalBytes: number, fileCount: number): ProgressBar {
  if (!io.isLogTerminal || fileCount < 2) return { at: () => {}, done: () => {} };
  let drawn = -REDRAW_BYTES;
  return {
    at: (bytes, file) => {
      if (bytes - drawn < REDRAW_BYTES && bytes < totalBytes) return;
      drawn = bytes;
      const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
      const full = Math.round(share * WIDTH);
      const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`;
      io.err(`\r\u001b[2K${bar} ${Math.round(share * 100)} %  ${file.slice(-60)}`);
    },
    done: () => io.err('\r\u001b[2K'),
  };
}
