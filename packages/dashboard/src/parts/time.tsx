import { useComputed } from '@preact/signals';
import { now } from '../state/clock.ts';
import { ago, brief, clockTime, inTime } from './words.ts';

/** An age for a narrow column, without "ago". */
export function Age({ at }: { readonly at: number | null }) {
  // Always reads the clock: a computed value that did not read it would never be computed again.
  const text = useComputed(() => ageAt(at, now.value));
  return <time title={at === null ? 'never' : new Date(at).toString()}>{text}</time>;
}

const ageAt = (at: number | null, time: number): string => (at === null ? '–' : brief(time - at));

/** An age that updates itself; only its text node changes. */
export function Ago({ at }: { readonly at: number | null }) {
  const text = useComputed(() => ago(at, now.value));
  return <time title={at === null ? 'never' : new Date(at).toString()}>{at === null ? 'never' : text}</time>;
}

export function Countdown({ to }: { readonly to: number }) {
  const text = useComputed(() => inTime(to - now.value));
  return <time title={clockTime(to)}>{text}</time>;
}
