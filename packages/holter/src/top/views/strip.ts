/** The last hour of an agent, one letter per half minute, as the server's strip has it. */
const LETTER_BASE = 0x30;

type Cell = {
  readonly calls: number;
  readonly beats: number;
  readonly hasError: boolean;
  readonly state: number;
};

export type StripCell = { readonly glyph: string; readonly tone: 'calm' | 'warn' | 'alarm' };

/** Silence, beats, and calls: the more, the higher. */
const GLYPHS = ['·', '▁', '▃', '▅', '█'] as const;
const DEGRADED = 2;
const ENDED = 5;

/** As many cells as fit, each for an equal share of the hour; empty before the agent's first sign and after its end. */
export function stripCells(strip: string, width: number): readonly StripCell[] {
  const bins = Array.from(strip, binOf);
  return Array.from({ length: width }, (_, index) => {
    const from = Math.floor((index * bins.length) / width);
    const to = Math.max(from + 1, Math.floor(((index + 1) * bins.length) / width));
    return cellOf(bins.slice(from, to));
  });
}

function binOf(letter: string): Cell {
  const code = letter.charCodeAt(0) - LETTER_BASE;
  return { beats: code & 3, calls: (code >> 2) & 3, hasError: (code & 16) > 0, state: code >> 5 };
}

function cellOf(bins: readonly Cell[]): StripCell {
  const most = (of: (bin: Cell) => number): number => Math.max(0, ...bins.map(of));
  const state = most((bin) => (bin.state === ENDED ? 0 : bin.state));
  if (state === 0) return { glyph: ' ', tone: 'calm' };
  const calls = most((bin) => bin.calls);
  const height = calls > 0 ? calls + 1 : most((bin) => bin.beats) > 0 ? 1 : 0;
  const isAlarm = bins.some(({ hasError }) => hasError) || state > DEGRADED;
  return { glyph: GLYPHS[height] ?? '·', tone: isAlarm ? 'alarm' : state === DEGRADED ? 'warn' : 'calm' };
}
