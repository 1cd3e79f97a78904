import type { Size } from './state/state.ts';

/** The terminal shows what comes between these two at once, if it knows them; others ignore them. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const ERASE_SCREEN = '\u001b[2J';
const ERASE_REST = '\u001b[K';

/** Turns frames into what has to be written: only lines that differ from the last frame, so that nothing flickers. */
export function changedLines(): (frame: string, size: Size) => string {
  let before: readonly string[] = [];
  let shown: Size = { columns: 0, rows: 0 };
  return (frame, size) => {
    const isResized = size.columns !== shown.columns || size.rows !== shown.rows;
    const known = isResized ? [] : before;
    const lines = frame.split('\n').slice(0, size.rows);
    const count = Math.max(lines.length, known.length);
    let text = isResized ? ERASE_SCREEN : '';
    for (let row = 0; row < count; row += 1) {
      const line = lines[row] ?? '';
      if (line !== (known[row] ?? '')) text += `\u001b[${row + 1};1H${line}${ERASE_REST}`;
    }
    before = lines;
    shown = size;
    return text === '' ? '' : `${BEGIN}${text}${END}`;
  };
}
