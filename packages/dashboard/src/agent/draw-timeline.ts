import type { PulseView } from '@holter/server/wire';
import { clockTime, dayName } from '../parts/words.ts';
import type { Palette } from '../strip/palette.ts';
import type { TimelineItem } from './timeline-items.ts';

export const LANES = [
  'state',
  'beats',
  'calls',
  'errors',
  'tokens',
  'holds',
  'findings',
  'acts',
  'checkpoints',
] as const;
type Lane = (typeof LANES)[number];

/** Width of the lanes' names. */
export const GUTTER = 84;
export const LANE_HEIGHT = 22;
const AXIS = 20;
export const timelineHeight = LANES.length * LANE_HEIGHT + AXIS;

type Range = { readonly from: number; readonly to: number };
type Content = {
  readonly width: number;
  readonly range: Range;
  readonly pulse: PulseView;
  readonly items: readonly TimelineItem[];
};

const MINUTE = 60_000;
const TICKS = [1, 5, 15, 60, 180, 720, 1_440, 7_200].map((minutes) => minutes * MINUTE);

export function drawTimeline(pen: CanvasRenderingContext2D, content: Content, colours: Palette): void {
  const { width, range, pulse, items } = content;
  const x = (at: number): number => GUTTER + ((at - range.from) / (range.to - range.from)) * (width - GUTTER);
  pen.clearRect(0, 0, width, timelineHeight);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  drawAxis(pen, range, x, colours);
  LANES.forEach((lane, i) => {
    pen.fillStyle = colours.soft;
    pen.fillText(lane, 0, i * LANE_HEIGHT + LANE_HEIGHT / 2);
    pen.fillStyle = colours.line;
    pen.fillRect(GUTTER, (i + 1) * LANE_HEIGHT - 1, width - GUTTER, 1);
  });
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, 0, width - GUTTER, timelineHeight);
  pen.clip();
  drawCounts(pen, 'beats', pulse.beats, pulse, x, colours.healthy);
  drawCounts(pen, 'calls', pulse.calls, pulse, x, colours.ink);
  drawCounts(pen, 'errors', pulse.errors, pulse, x, colours.failing);
  drawCounts(pen, 'tokens', pulse.tokens, pulse, x, colours.accent);
  for (const item of items) drawItem(pen, item, x, colours);
  pen.restore();
}

const topOf = (lane: Lane): number => LANES.indexOf(lane) * LANE_HEIGHT;

function drawAxis(
  pen: CanvasRenderingContext2D,
  { from, to }: Range,
  x: (at: number) => number,
  colours: Palette,
): void {
  const every = TICKS.find((tick) => (to - from) / tick <= 8) ?? TICKS.at(-1) ?? MINUTE;
  pen.textAlign = 'center';
  for (let at = Math.ceil(from / every) * every; at <= to; at += every) {
    pen.fillStyle = colours.line;
    pen.fillRect(Math.round(x(at)), 0, 1, timelineHeight - AXIS);
    pen.fillStyle = colours.soft;
    pen.fillText(
      every >= 1_440 * MINUTE ? dayName(at) : clockTime(at, false),
      x(at),
      timelineHeight - AXIS / 2,
    );
  }
  pen.textAlign = 'left';
}

/** Bars, scaled to the highest one. */
function drawCounts(
  pen: CanvasRenderingContext2D,
  lane: Lane,
  values: readonly number[],
  { from, binMs }: PulseView,
  x: (at: number) => number,
  colour: string,
): void {
  const most = Math.max(1, ...values);
  const room = LANE_HEIGHT - 6;
  pen.fillStyle = colour;
  values.forEach((value, i) => {
    if (value <= 0) return;
    const left = x(from + i * binMs);
    const wide = Math.max(1.5, x(from + (i + 1) * binMs) - left - 1);
    const high = Math.max(2, (value / most) * room);
    pen.fillRect(left, topOf(lane) + LANE_HEIGHT - 3 - high, wide, high);
  });
}

function drawItem(
  pen: CanvasRenderingContext2D,
  item: TimelineItem,
  x: (at: number) => number,
  colours: Palette,
): void {
  const top = topOf(item.lane);
  // Coordinates far outside the canvas are drawn wrongly.
  const left = item.to > item.from ? Math.max(GUTTER - 8, x(item.from)) : x(item.from);
  pen.fillStyle = colours[item.tone as keyof Palette] ?? colours.soft;
  if (item.to > item.from) {
    const wide = Math.max(2, x(item.to) - left);
    // The name of a state is written into its bar if there is room, so that colour is not the only sign.
    pen.globalAlpha = item.lane === 'state' ? 0.28 : 0.8;
    pen.fillRect(left, top + 5, wide, LANE_HEIGHT - 10);
    pen.globalAlpha = 1;
    if (item.lane === 'state' && wide > 60)
      pen.fillText(item.tone, Math.max(left, GUTTER) + 5, top + LANE_HEIGHT / 2 + 1);
    return;
  }
  pen.beginPath();
  if (item.lane === 'checkpoints') pen.arc(left, top + LANE_HEIGHT / 2, 4, 0, Math.PI * 2);
  else {
    pen.moveTo(left, top + 4);
    pen.lineTo(left + 5, top + LANE_HEIGHT / 2);
    pen.lineTo(left, top + LANE_HEIGHT - 4);
    pen.lineTo(left - 5, top + LANE_HEIGHT / 2);
  }
  pen.fill();
}
