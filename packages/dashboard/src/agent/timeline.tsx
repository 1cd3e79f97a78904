import type { AgentView, EventView, PulseView } from '@holter/server/wire';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clockTime, duration, plural } from '../parts/words.ts';
import { now } from '../state/clock.ts';
import { paint } from '../state/theme.ts';
import { palette } from '../strip/palette.ts';
import { drawTimeline, GUTTER, LANE_HEIGHT, LANES, timelineHeight } from './draw-timeline.ts';
import { type TimelineItem, timelineItems } from './timeline-items.ts';

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
  const [span, setSpan] = useState<number>(() => spanFor(now.peek() - agent.startedAt));
  /** How far the right edge is before now. */
  const [back, setBack] = useState(0);
  const [tip, setTip] = useState<{ readonly x: number; readonly y: number; readonly text: string } | null>(
    null,
  );
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
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const at = range.from + (x - GUTTER) * perPixel;
    if (x < GUTTER) return setTip(null);
    const lane = LANES[Math.floor(y / LANE_HEIGHT)];
    const isHere = ({ lane: own, from, to, label }: TimelineItem): boolean =>
      own === lane && label !== '' && at >= from - perPixel * 8 && at <= Math.max(to, from + perPixel * 8);
    const here = items.filter(isHere).at(-1);
    const counted = lane === undefined ? '' : countAt(pulse, lane, at);
    const words = here ? `${clockTime(here.from)} ${here.label}` : `${clockTime(Math.max(0, at))}${counted}`;
    setTip({ x, y, text: words });
  };

  return (
    <section class="card timeline" aria-label="Timeline">
      <div class="timeline-head">
        <h2>Timeline</h2>
        <span class="soft hint">drag to move, ctrl + wheel to zoom</span>
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
          style={{ height: `${timelineHeight}px` }}
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
            setTip(null);
          }}
          onPointerMove={point}
        />
        {tip && (
          <div
            class={tip.x > width / 2 ? 'tip left' : 'tip'}
            style={{ left: `${tip.x}px`, top: `${tip.y}px` }}
            role="tooltip"
          >
            {tip.text}
          </div>
        )}
      </div>
    </section>
  );
}

/** A young agent does not begin at the right edge of an empty hour. */
const spanFor = (ageMs: number): number => (ageMs < 15 * MINUTE ? 15 * MINUTE : 60 * MINUTE);

const counted: Readonly<Record<string, string>> = {
  beats: 'beat',
  calls: 'call',
  errors: 'error',
  tokens: 'token',
};

/** How many of a lane fell into the half minute under the pointer. */
function countAt(pulse: PulseView, lane: string, at: number): string {
  const one = counted[lane];
  const values = one === undefined ? undefined : pulse[lane as 'beats'];
  const value = values?.[Math.floor((at - pulse.from) / pulse.binMs)];
  return one === undefined || value === undefined ? '' : ` ${plural(value, one)}`;
}
