/** The steps of a run as a row of cells, at most `CELLS_MAX`: when it is full, neighbours are merged. */
export type Level = 'none' | 'warn' | 'act';
export type Cell = { readonly level: Level; readonly steps: number; readonly hasProgress: boolean };

export type Strip = { readonly cells: readonly Cell[]; readonly perCell: number };

export const emptyStrip: Strip = { cells: [], perCell: 1 };

const CELLS_MAX = 480;
const RANK: Readonly<Record<Level, number>> = { none: 0, warn: 1, act: 2 };

export const worse = (a: Level, b: Level): Level => (RANK[a] >= RANK[b] ? a : b);

export function addStep(strip: Strip, level: Level, hasProgress: boolean): Strip {
  const last = strip.cells.at(-1);
  if (last !== undefined && last.steps < strip.perCell) {
    const merged = merge(last, { level, steps: 1, hasProgress });
    return { ...strip, cells: [...strip.cells.slice(0, -1), merged] };
  }
  const cells = [...strip.cells, { level, steps: 1, hasProgress }];
  return cells.length <= CELLS_MAX ? { ...strip, cells } : halve({ ...strip, cells });
}

function halve(strip: Strip): Strip {
  const cells: Cell[] = [];
  for (let index = 0; index < strip.cells.length; index += 2) {
    const left = strip.cells[index];
    const right = strip.cells[index + 1];
    if (left !== undefined) cells.push(right === undefined ? left : merge(left, right));
  }
  return { cells, perCell: strip.perCell * 2 };
}

const merge = (a: Cell, b: Cell): Cell => ({
  level: worse(a.level, b.level),
  steps: a.steps + b.steps,
  hasProgress: a.hasProgress || b.hasProgress,
});

/** Reduced to the width of a terminal. */
export function squeeze(strip: Strip, width: number): readonly Cell[] {
  let squeezed = strip;
  while (squeezed.cells.length > width) squeezed = halve(squeezed);
  return squeezed.cells;
}
