import type { Palette } from './palette.ts';

/** One letter of the server's strip: what happened in half a minute. */
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

const stateColour = (state: number, colours: Palette): string =>
  [colours.line, colours.healthy, colours.degraded, colours.stuck, colours.failing, colours.terminated][
    state
  ] ?? colours.line;

const GRID_BINS = 10;

/** Draws the hour like an ECG: bumps for beats, spikes for calls, strokes below for errors, flat for silence. */
export function drawStrip(
  pen: CanvasRenderingContext2D,
  bins: readonly Bin[],
  size: { readonly width: number; readonly height: number },
  colours: Palette,
): void {
  const { width, height } = size;
  const step = width / Math.max(1, bins.length);
  pen.clearRect(0, 0, width, height);
  drawGrid(pen, bins.length, step, height, colours);
  const base = Math.round(height * 0.62);
  pen.lineWidth = 1.25;
  pen.lineJoin = 'round';
  let start = 0;
  while (start < bins.length) {
    const state = bins[start]?.state ?? 0;
    let end = start;
    while (end < bins.length && (bins[end]?.state ?? 0) === state) end += 1;
    if (state !== 0) {
      drawLine(pen, bins, { start, end, step, base, height }, state, colours);
      drawBar(pen, { x: start * step, width: (end - start) * step, y: height - 4 }, state, colours);
    }
    start = end;
  }
  drawErrors(pen, bins, step, base, height, colours);
}

function drawGrid(
  pen: CanvasRenderingContext2D,
  count: number,
  step: number,
  height: number,
  colours: Palette,
): void {
  pen.fillStyle = colours.line;
  for (let bin = 0; bin <= count; bin += GRID_BINS) pen.fillRect(Math.round(bin * step), 0, 1, height - 5);
}

type Run = {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly base: number;
  readonly height: number;
};

function drawLine(
  pen: CanvasRenderingContext2D,
  bins: readonly Bin[],
  { start, end, step, base, height }: Run,
  state: number,
  colours: Palette,
): void {
  pen.strokeStyle = stateColour(state, colours);
  pen.setLineDash(state === 5 ? [2, 4] : []);
  pen.beginPath();
  pen.moveTo(start * step, base);
  for (let i = start; i < end; i += 1) {
    const bin = bins[i];
    const x = i * step;
    if (bin && bin.calls > 0) {
      const top = base - (height * 0.32 + bin.calls * height * 0.08);
      pen.lineTo(x + step * 0.2, base);
      pen.lineTo(x + step * 0.5, top);
      pen.lineTo(x + step * 0.75, base + height * 0.12);
    } else if (bin && bin.beats > 0) {
      pen.lineTo(x + step * 0.3, base);
      pen.lineTo(x + step * 0.5, base - height * 0.14);
      pen.lineTo(x + step * 0.7, base);
    }
    pen.lineTo(x + step, base);
  }
  pen.stroke();
  pen.setLineDash([]);
}

/** The state once more as a shape: colour is not the only sign. */
function drawBar(
  pen: CanvasRenderingContext2D,
  { x, width, y }: { readonly x: number; readonly width: number; readonly y: number },
  state: number,
  colours: Palette,
): void {
  pen.fillStyle = stateColour(state, colours);
  if (state === 2)
    for (let at = 0; at < width; at += 6) pen.fillRect(x + at, y + 1, Math.min(3, width - at), 2);
  if (state === 3) for (let at = 0; at < width; at += 5) pen.fillRect(x + at, y, Math.min(4, width - at), 4);
  if (state === 4) pen.fillRect(x, y, width, 4);
}

function drawErrors(
  pen: CanvasRenderingContext2D,
  bins: readonly Bin[],
  step: number,
  base: number,
  height: number,
  colours: Palette,
): void {
  pen.fillStyle = colours.failing;
  bins.forEach(({ hasError }, i) => {
    if (hasError) pen.fillRect(i * step + step * 0.35, base + 2, 1.5, height * 0.2);
  });
}
