/** One letter of the server's strip: half a minute of the agent. */
export type Bin = {
  readonly beats: number;
  readonly calls: number;
  readonly hasError: boolean;
  /** 0 none on record, then HEALTHY, DEGRADED, STUCK, FAILING, TERMINATED. */
  readonly state: number;
};

const LETTER_BASE = 0x30;

export function binsOf(strip: string): readonly Bin[] {
  return Array.from(strip, (letter) => {
    const code = letter.charCodeAt(0) - LETTER_BASE;
    return { beats: code & 3, calls: (code >> 2) & 3, hasError: (code & 16) > 0, state: code >> 5 };
  });
}

/** A strip of fewer half minutes would change its scale with each of them. */
const BINS_MIN = 10;

/** Without the time before the agent's first sign, so that a young one fills its strip. Steps of 5 minutes. */
export function lifeOf(bins: readonly Bin[]): readonly Bin[] {
  const first = bins.findIndex(({ state }) => state > 0);
  if (first <= 0) return bins;
  const count = Math.max(BINS_MIN, Math.ceil((bins.length - first) / GRID_BINS) * GRID_BINS);
  return bins.slice(-count);
}

/** In units of the drawing, which the page may scale. */
export const STRIP_WIDTH = 240;
export const STRIP_HEIGHT = 44;
const BASE = 27;
const BAR_Y = 40;
const GRID_BINS = 10;
const STATE_NAMES = ['none', 'healthy', 'degraded', 'stuck', 'failing', 'terminated'] as const;

/** A period in one state: the line of its beats and calls, and the bar whose shape shows the state. */
type Stretch = { readonly state: (typeof STATE_NAMES)[number]; readonly line: string; readonly bar: string };

type StripShapes = {
  readonly grid: string;
  readonly stretches: readonly Stretch[];
  readonly errors: string;
};

/**
 * The last hour drawn like an ECG: bumps for beats, spikes for calls, strokes below for errors, flat for silence.
 * SVG paths instead of a canvas per row, because browsers composite every canvas as a separate layer in each frame.
 */
export function stripShapes(bins: readonly Bin[]): StripShapes {
  const step = STRIP_WIDTH / Math.max(1, bins.length);
  const stretches: Stretch[] = [];
  let start = 0;
  while (start < bins.length) {
    const state = bins[start]?.state ?? 0;
    let end = start;
    while (end < bins.length && bins[end]?.state === state) end += 1;
    const [x, width] = [start * step, (end - start) * step];
    if (state > 0)
      stretches.push({
        state: STATE_NAMES[state] ?? 'none',
        line: `M${tidy(x)} ${BASE}${beatsOf(bins.slice(start, end), step)}`,
        bar: barOf(state, x, width),
      });
    start = end;
  }
  return { grid: gridOf(bins.length, step), stretches, errors: errorsOf(bins, step) };
}

const tidy = (value: number): string => String(Math.round(value * 10) / 10);

/**
 * A call is a vertical stroke and a small dip half a step later, a beat a small bump. Slanted strokes would fill the
 * two pixels of a step, so that an agent with many calls would be a block of colour.
 */
function beatsOf(bins: readonly Bin[], step: number): string {
  let path = '';
  let flat = 0;
  const stroke = (height: number): void => {
    path += `h${tidy(flat)}v${tidy(-height)}v${tidy(height)}`;
    flat = 0;
  };
  for (const { beats, calls } of bins) {
    flat += step * 0.25;
    if (calls > 0) stroke(14 + 3.5 * calls);
    else if (beats > 0) stroke(6);
    flat += step * 0.5;
    if (calls > 0) stroke(-5);
    flat += step * 0.25;
  }
  return `${path}h${tidy(flat)}`;
}

/** Dashes, blocks or a solid bar, so that colour is not the only sign. */
function barOf(state: number, x: number, width: number): string {
  const piece = (at: number, y: number, w: number, h: number): string =>
    `M${tidy(at)} ${y}h${tidy(w)}v${h}h${tidy(-w)}z`;
  const pieces = (every: number, w: number, y: number, h: number): string => {
    let path = '';
    for (let at = 0; at < width; at += every) path += piece(x + at, y, Math.min(w, width - at), h);
    return path;
  };
  if (state === 2) return pieces(6, 3, BAR_Y + 1, 2);
  if (state === 3) return pieces(5, 4, BAR_Y, 4);
  if (state === 4) return piece(x, BAR_Y, width, 4);
  return '';
}

function gridOf(count: number, step: number): string {
  let path = '';
  for (let bin = 0; bin <= count; bin += GRID_BINS) path += `M${tidy(bin * step)} 0v${BAR_Y - 1}`;
  return path;
}

function errorsOf(bins: readonly Bin[], step: number): string {
  let path = '';
  bins.forEach(({ hasError }, i) => {
    if (hasError) path += `M${tidy((i + 0.5) * step)} ${BASE + 2}v9`;
  });
  return path;
}
