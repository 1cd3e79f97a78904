import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { windowAt } from '../state/live.ts';

/** Fixed row heights give the position of a row by multiplication; the style sheet has the same numbers. */
const ROW_HEIGHTS = {
  wide: { compact: 32, roomy: 76 },
  narrow: { compact: 62, roomy: 174 },
} as const;
const NARROW = '(max-width: 900px)';
/** The window moves in steps, so that a small scroll needs no new stream. */
const STEP = 20;
const AROUND = 20;
/** Rows drawn beyond the edges of the screen, so that a scroll shows them immediately. */
const DRAWN_AROUND = 5;

/** Which rows are on the screen (`first` to `last`), and which are to be drawn (`from` to `to`). */
type Screen = {
  readonly height: number;
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly to: number;
};

/** Follows scrolling and resizing, and asks the server for the visible part of the fleet. */
export function useScreen(list: RefObject<HTMLElement | null>, isDense: boolean): Screen {
  const [isNarrow, setNarrow] = useState(matchMedia(NARROW).matches);
  const height = ROW_HEIGHTS[isNarrow ? 'narrow' : 'wide'][isDense ? 'compact' : 'roomy'];
  const [rows, setRows] = useState({ first: 0, last: STEP, from: 0, to: STEP + DRAWN_AROUND });

  useEffect(() => {
    const media = matchMedia(NARROW);
    const change = (): void => setNarrow(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);

  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const seen = Math.max(0, Math.floor(-top / height));
      const count = Math.ceil(window.innerHeight / height);
      // Also in steps, so that most frames of a scroll change nothing here.
      const first = seen - (seen % DRAWN_AROUND);
      const last = first + count + DRAWN_AROUND;
      const from = first - DRAWN_AROUND;
      const to = last + DRAWN_AROUND;
      setRows((was) => (was.first === first && was.last === last ? was : { first, last, from, to }));
      moveWindow(seen, count);
    };
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    window.addEventListener('scroll', soon, { passive: true });
    window.addEventListener('resize', soon);
    return () => {
      window.removeEventListener('scroll', soon);
      window.removeEventListener('resize', soon);
      cancelAnimationFrame(frame);
    };
  }, [height, list]);

  return { height, ...rows };
}

function moveWindow(seen: number, count: number): void {
  const offset = Math.max(0, Math.floor((seen - AROUND) / STEP) * STEP);
  const limit = Math.ceil((seen + count + AROUND - offset) / STEP) * STEP;
  const before = windowAt.peek();
  if (before.offset !== offset || before.limit < limit) windowAt.value = { offset, limit };
}
