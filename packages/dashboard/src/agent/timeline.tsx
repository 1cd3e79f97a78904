import type { AgentView, EventView, PulseView } from '@holter/server/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime, duration } from '../parts/words.ts';
import { now } from '../state/clock.ts';
import { paint } from '../state/theme.ts';
import { palette } from '../strip/palette.ts';
import { drawTimeline, GUTTER, LANES, timelineHeight } from './draw-timeline.ts';
import { timelineItems } from './timeline-items.ts';

type Props = {
  readonly agent: AgentView;
  readonly pulse: PulseView;
  readonly events: readonly EventView[];
};

const MINUTE = 60_000;
const SPANS = [15 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE, 24 * 60 * MINUTE] as const;
const SPAN_MIN = 2 * MINUTE;
const SPAN_MAX = 30 * 24 * 60 * MINUTE;

/** Everything about one agent on one time axis. The table of events below says the same in text. */
export function Timeline({ agent, pulse, events }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(800);
  const [span, setSpan] = useState<number>(60 * MINUTE);
  /** How far the right edge is before now. */
  const [back, setBack] = useState(0);
  const [hint, setHint] = useState<string | null>(null);
  const drag = useRef<{ x: number; back: number } | null>(null);
  const painted = paint.value;
  const to = now.value - back;
  const range = { from: to - span, to };
  const items = timelineItems(agent, events, now.value);

  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(280, element.clientWidth)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext('2d');
    if (!element || !pen) return;
    const scale = window.devicePixelRatio || 1;
    element.width = Math.round(width * scale);
    element.height = Math.round(timelineHeight * scale);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    drawTimeline(pen, { width, range, pulse, items }, palette());
  }, [width, range.to, span, pulse, items, painted]);

  const zoom = (factor: number): void =>
    setSpan(Math.min(SPAN_MAX, Math.max(SPAN_MIN, Math.round(span * factor))));
  const perPixel = span / Math.max(1, width - GUTTER);
  const point = (event: PointerEvent): void => {
    const start = drag.current;
    if (start) setBack(Math.max(0, start.back + (event.clientX - start.x) * perPixel));
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return;
    const at = range.from + (event.clientX - box.left - GUTTER) * perPixel;
    const near = items
      .filter(({ label }) => label !== '')
      .sort((a, b) => Math.abs(a.from - at) - Math.abs(b.from - at))[0];
    const isNear = near && Math.abs(near.from - at) < perPixel * 12;
    setHint(isNear ? `${clockTime(near.from)} ${near.label}` : clockTime(Math.max(0, at)));
  };

  return (
    <section class="card timeline" aria-label="Timeline">
      <div class="timeline-head">
        <h2>Timeline</h2>
        <span class="soft hint">{hint ?? 'drag to move, ctrl + wheel to zoom'}</span>
        <fieldset class="segments" aria-label="Span of time">
          {SPANS.map((each) => (
            <button
              type="button"
              key={each}
              aria-pressed={span === each && back === 0}
              onClick={() => {
                setSpan(each);
                setBack(0);
              }}
            >
              {duration(each)}
            </button>
          ))}
          <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
            +
          </button>
          <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">
            −
          </button>
        </fieldset>
      </div>
      <div class="timeline-body">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Lanes for ${LANES.join(', ')} over ${duration(span)}; the table of events below says the same`}
          style={{ width: `${width}px`, height: `${timelineHeight}px` }}
          onWheel={(event: WheelEvent) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(event.deltaY > 0 ? 1.25 : 0.8);
          }}
          onPointerDown={(event: PointerEvent) => {
            drag.current = { x: event.clientX, back };
          }}
          onPointerUp={() => {
            drag.current = null;
          }}
          onPointerLeave={() => {
            drag.current = null;
            setHint(null);
          }}
          onPointerMove={point}
        />
      </div>
    </section>
  );
}
