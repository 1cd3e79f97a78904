import { useEffect, useRef, useState } from 'preact/hooks';
import { known, rowOf, total, windowAt } from '../live.ts';
import { Row } from './row.tsx';

/** Fixed heights make ten thousand rows a multiplication; the style sheet has the same numbers. */
const ROW_WIDE = 76;
const ROW_NARROW = 174;
const NARROW = '(max-width: 900px)';
/** The window moves in steps, so that a small scroll needs no new stream. */
const STEP = 20;
const AROUND = 20;
/** Drawn beyond the edges of the screen, so that a scroll finds them there. */
const DRAWN_AROUND = 5;

/** Only what is on the screen is drawn; the server sends that and some rows around it. */
export function Rows() {
  const list = useRef<HTMLOListElement>(null);
  const [isNarrow, setNarrow] = useState(matchMedia(NARROW).matches);
  const height = isNarrow ? ROW_NARROW : ROW_WIDE;
  const [drawn, setDrawn] = useState({ from: 0, to: 2 * STEP });

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
      const first = Math.max(0, Math.floor(-top / height));
      const count = Math.ceil(window.innerHeight / height);
      const offset = Math.max(0, Math.floor((first - AROUND) / STEP) * STEP);
      const limit = Math.ceil((first + count + AROUND - offset) / STEP) * STEP;
      const from = first - (first % DRAWN_AROUND) - DRAWN_AROUND;
      const to = from + count + 3 * DRAWN_AROUND;
      setDrawn((was) => (was.from === from && was.to === to ? was : { from, to }));
      const before = windowAt.peek();
      if (before.offset !== offset || before.limit < limit) windowAt.value = { offset, limit };
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
  }, [height]);

  const { offset, ids } = known.value;
  const all = total.value ?? 0;
  return (
    <>
      <div class="row-head" aria-hidden="true">
        <span>State</span>
        <span>Agent</span>
        <span>Why</span>
        <span>Last hour</span>
        <span>Heard · progress</span>
        <span>Work</span>
        <span>Next</span>
      </div>
      <ol class="rows" ref={list} style={{ height: `${all * height}px` }} aria-label="Agents">
        {ids.map((agentId, i) => {
          const index = offset + i;
          const row = index < drawn.from || index > drawn.to ? undefined : rowOf(agentId);
          return row && <Row key={agentId} row={row} index={index} setSize={all} y={index * height} />;
        })}
      </ol>
    </>
  );
}
