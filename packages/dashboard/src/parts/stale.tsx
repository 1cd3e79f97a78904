import { now } from '../state/clock.ts';
import { link } from '../state/live.ts';
import { clockTime } from './words.ts';

/** Old news says that it is old. The clock stands still meanwhile: silence that nobody could hear is none. */
export function Stale() {
  if (link.value !== 'lost') return null;
  return (
    <p class="stale" role="status">
      The server does not answer. What you see is from <b>{clockTime(now.value)}</b>; it is asked again all
      the time.
    </p>
  );
}
