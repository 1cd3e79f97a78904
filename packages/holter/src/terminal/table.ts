import type { Colour, Paint } from './paint.ts';
import { printable } from './paint.ts';

type Cell = { readonly text: string; readonly colour?: Colour };

type Column = {
  readonly title: string;
  /** May be cut when the terminal is narrow; other columns keep their width as long as possible. */
  readonly canShrink?: true;
};

const GAP = '  ';
const SHRUNK_MIN = 8;

/** Lines that fit the width: columns as wide as their longest cell, and long words cut with an ellipsis. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly (Cell | string)[])[],
  width: number,
  paint: Paint,
): string {
  const cells = rows.map((row) => row.map(asCell));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((row) => row[index]?.text.length ?? 0)),
  );
  shrink(columns, widths, width);
  const line = (row: readonly Cell[]): string =>
    row
      .map(({ text, colour }, index) => {
        const cut = cutTo(text, widths[index] ?? 0);
        const padded = index === row.length - 1 ? cut : cut.padEnd(widths[index] ?? 0);
        return colour ? paint(colour, padded) : padded;
      })
      .join(GAP)
      .trimEnd();
  const head = line(columns.map(({ title }) => ({ text: title, colour: 'dim' as const })));
  return `${[head, ...cells.map(line)].join('\n')}\n`;
}

function asCell(cell: Cell | string): Cell {
  return typeof cell === 'string' ? { text: printable(cell) } : { ...cell, text: printable(cell.text) };
}

/** Narrows the widest column that may be cut; if that is not enough, every column. */
function shrink(columns: readonly Column[], widths: number[], width: number): void {
  for (const mayCut of [(index: number) => columns[index]?.canShrink === true, () => true]) {
    for (;;) {
      const total = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
      if (total <= width) return;
      const widest = widths.reduce(
        (best, each, index) => (mayCut(index) && each > (widths[best] ?? 0) ? index : best),
        widths.findIndex((_, index) => mayCut(index)),
      );
      const current = widths[widest];
      if (current === undefined || current <= SHRUNK_MIN) break;
      widths[widest] = Math.max(SHRUNK_MIN, current - Math.ceil(total - width));
    }
  }
}

export function cutTo(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
