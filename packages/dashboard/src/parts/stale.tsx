import { now } from '../state/clock.ts';
import { link } from '../state/live.ts';
import { clockTime } from './words.ts';

/** Says that the page is out of date. Its clock stands still, so that ages do not grow while the stream is lost. */
export function Stale() {
  if (link.value !== 'lost') return null;
  return (
    <p class="stale" role="status">
      The server does not answer. What you see is from <b>{clockTime(now.value)}</b>; reconnecting…
    </p>
  );
}
