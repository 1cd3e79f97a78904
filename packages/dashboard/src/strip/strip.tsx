import { useMemo } from 'preact/hooks';
import { type Bin, binsOf, lifeOf, STRIP_HEIGHT, STRIP_WIDTH, stripShapes } from './strip-shapes.ts';

/** The last hour of an agent, or its life if it is younger, drawn like an ECG. */
export function Strip({ letters }: { readonly letters: string }) {
  const { shapes, words } = useMemo(() => {
    const bins = lifeOf(binsOf(letters));
    return { shapes: stripShapes(bins), words: inWords(bins) };
  }, [letters]);
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
    >
      <path class="strip-grid" d={shapes.grid} />
      {shapes.stretches.map(({ state, line, bar }, i) => (
        <g key={i} class={`state-${state}`}>
          <path class="strip-line" d={line} />
          {bar !== '' && <path class="strip-bar" d={bar} />}
        </g>
      ))}
      {shapes.errors !== '' && <path class="strip-errors" d={shapes.errors} />}
    </svg>
  );
}

const HOUR_BINS = 120;

function inWords(bins: readonly Bin[]): string {
  const sum = (count: (bin: Bin) => number): number => bins.reduce((total, bin) => total + count(bin), 0);
  const beating = sum(({ beats, calls }) => (beats > 0 || calls > 0 ? 1 : 0));
  const errors = sum(({ hasError }) => (hasError ? 1 : 0));
  const span = bins.length === HOUR_BINS ? 'Last hour' : `Last ${bins.length / 2} min`;
  return `${span}: signs of life in ${beating} of ${bins.length} half minutes, errors in ${errors}`;
}
