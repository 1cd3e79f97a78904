import type { EventView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { clockTime, plain } from '../parts/words.ts';
import { eventDetails, eventSentence, isMinor } from './event-sentence.ts';

const STEP = 50;

/** What happened, newest first, as sentences; the raw form is behind a click. Agents' words are plain text. */
export function Events({ events }: { readonly events: readonly EventView[] }) {
  const [shown, setShown] = useState(STEP);
  const [isAll, setAll] = useState(false);
  const wanted = isAll ? events : events.filter((event) => !isMinor(event));
  if (events.length === 0) return <p class="soft">Nothing has happened yet.</p>;
  return (
    <>
      <ol class="events" aria-label="Events, newest first">
        {wanted.slice(0, shown).map((event) => (
          <li key={event.cursor}>
            <details>
              <summary>
                <time title={new Date(event.at).toString()}>{clockTime(event.at)}</time>
                <span class="sentence">{eventSentence(event)}</span>
                <span class="soft kind">{plain(event.type)}</span>
              </summary>
              <pre>{eventDetails(event)}</pre>
            </details>
          </li>
        ))}
      </ol>
      <p class="events-foot">
        {wanted.length > shown && (
          <button type="button" class="quiet" onClick={() => setShown(shown + STEP)}>
            Show more
          </button>
        )}
        <label class="soft">
          <input type="checkbox" checked={isAll} onChange={() => setAll(!isAll)} /> also minor events
        </label>
      </p>
    </>
  );
}
