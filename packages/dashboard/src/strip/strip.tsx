import { useEffect, useRef } from 'preact/hooks';
import { paint } from '../theme.ts';
import { type Bin, binsOf, drawStrip } from './draw-strip.ts';
import { palette } from './palette.ts';

type Props = { readonly letters: string; readonly width: number; readonly height: number };

/** The page's one idea: an hour of an agent's heart. */
export function Strip({ letters, width, height }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painted = paint.value;
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext('2d');
    if (!element || !pen) return;
    const scale = window.devicePixelRatio || 1;
    // Setting a canvas's size clears it and costs; most of the time it is right already.
    if (element.width !== Math.round(width * scale)) element.width = Math.round(width * scale);
    if (element.height !== Math.round(height * scale)) element.height = Math.round(height * scale);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    drawStrip(pen, binsOf(letters), { width, height }, palette());
  }, [letters, width, height, painted]);
  return (
    <canvas
      ref={canvas}
      class="strip"
      role="img"
      aria-label={inWords(binsOf(letters))}
      style={{ width: `${width}px`, height: `${height}px` }}
    />
  );
}

function inWords(bins: readonly Bin[]): string {
  const sum = (count: (bin: Bin) => number): number => bins.reduce((total, bin) => total + count(bin), 0);
  const beating = sum(({ beats, calls }) => (beats > 0 || calls > 0 ? 1 : 0));
  const errors = sum(({ hasError }) => (hasError ? 1 : 0));
  return `Last hour: signs of life in ${beating} of ${bins.length} half minutes, errors in ${errors}`;
}
