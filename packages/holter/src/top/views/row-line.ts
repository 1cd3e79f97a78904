import { printable } from '../../terminal/paint.ts';
import { cutTo } from '../../terminal/table.ts';

/** Text of agents on one line of at most this width. */
export const fitted = (text: string, width: number): string =>
  width <= 0 ? '' : cutTo(printable(text), width);

/** Where the visible part of a list begins: the selection is in its middle, except at the ends. */
export function visibleFrom(selected: number, count: number, height: number): number {
  const page = Math.max(1, height);
  return Math.max(0, Math.min(selected - Math.floor(page / 2), count - page));
}
