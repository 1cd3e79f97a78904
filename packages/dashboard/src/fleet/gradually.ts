import { useEffect, useRef, useState } from 'preact/hooks';
import { afterPaint } from '../state/after-paint.ts';

/** A new row costs about two milliseconds; more of them in one frame would be felt. */
const NEW_PER_FRAME = 4;

/** Which of the wanted rows may be drawn now: those that are there already, and some new ones each frame. */
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
