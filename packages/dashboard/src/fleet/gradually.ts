import { useEffect, useRef, useState } from 'preact/hooks';
import { afterPaint } from '../state/after-paint.ts';

/** A new row takes about two milliseconds; many of them in one frame would be noticeable. */
const NEW_PER_FRAME = 4;

/** The rows that may be drawn now: those that are drawn already, and a few new ones per frame. */
export function useGradually(wanted: readonly string[]): ReadonlySet<string> {
  const drawn = useRef<ReadonlySet<string>>(new Set());
  const [, drawMore] = useState(0);
  const next = withSomeNew(drawn.current, wanted);
  drawn.current = next;
  const isComplete = next.size === wanted.length;
  useEffect(() => {
    return isComplete ? undefined : afterPaint(() => drawMore((times) => times + 1));
  });
  return next;
}

function withSomeNew(drawn: ReadonlySet<string>, wanted: readonly string[]): ReadonlySet<string> {
  let room = NEW_PER_FRAME;
  return new Set(
    wanted.filter((id) => {
      if (drawn.has(id)) return true;
      room -= 1;
      return room >= 0;
    }),
  );
}
