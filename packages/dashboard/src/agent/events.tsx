import type { EventView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { Table } from '../parts/table.tsx';
import { clockTime, plain } from '../parts/words.ts';

const STEP = 50;

/** Raw events, newest first. What agents wrote is shown as plain text. */
export function Events({ events }: { readonly events: readonly EventView[] }) {
  const [shown, setShown] = useState(STEP);
  if (events.length === 0) return <p class="soft">Nothing has happened yet.</p>;
  return (
    <>
      <Table name="Events, newest first" columns={['When', 'What', 'Details']} look="events">
        {events.slice(0, shown).map((event) => (
          <tr key={event.cursor}>
            <td>
              <time title={new Date(event.at).toString()}>{clockTime(event.at)}</time>
            </td>
            <td>{plain(event.type)}</td>
            <td class="details">{detailsOf(event)}</td>
          </tr>
        ))}
      </Table>
      {events.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + STEP)}>
          Show more
        </button>
      )}
    </>
  );
}

function detailsOf({ payload }: EventView): string {
  return Object.entries(payload)
    .filter(([name]) => name !== 'agentId')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}
