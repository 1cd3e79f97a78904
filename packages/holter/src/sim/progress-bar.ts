import type { Io } from '../terminal/io.ts';

const WIDTH = 30;

type ProgressBar = { readonly at: (share: number) => void; readonly done: () => void };

/** Printed on stderr, and only if it is a terminal, so that piped output stays clean. */
export function progressBar(io: Io, title: string): ProgressBar {
  if (!io.isLogTerminal) return { at: () => {}, done: () => {} };
  return {
    at: (share) => {
      const full = Math.round(share * WIDTH);
      const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`;
      io.err(`\r\u001b[2K${bar} ${Math.round(share * 100)} %  ${title}`);
    },
    done: () => io.err('\r\u001b[2K'),
  };
}
