import type { PulseView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { duration } from '../parts/words.ts';

const SHOWN = 12;

/** Tool, duration and outcome of each call. Its contents are not stored. */
export function Calls({ calls }: { readonly calls: PulseView['newestCalls'] }) {
  if (calls.length === 0) return <p class="soft">No call was heard since this server started.</p>;
  return (
    <ul class="calls">
      {calls.slice(0, SHOWN).map((call) => (
        <li key={call.callId}>
          <span class="tool">{call.tool}</span>
          <span class="soft">
            {call.endedAt === null ? 'open' : duration(call.endedAt - call.begunAt)}
            {call.isError && <b class="errors"> failed</b>}
          </span>
          <span class="soft">
            <Ago at={call.begunAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
