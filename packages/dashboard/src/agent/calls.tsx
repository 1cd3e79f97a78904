import type { PulseView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { duration } from '../parts/words.ts';

const SHOWN = 12;

/** The newest calls with their arguments and the beginning of what they returned; secrets are redacted. */
export function Calls({ calls }: { readonly calls: PulseView['newestCalls'] }) {
  if (calls.length === 0) return <p class="soft">No calls since this server started.</p>;
  return (
    <ul class="calls">
      {calls.slice(0, SHOWN).map((call) => (
        <li key={call.callId} class={call.isError ? 'failed' : ''}>
          <span class="call-line">
            <b class="tool">{call.tool}</b>{' '}
            {call.input !== null && <code title={call.input}>{call.input}</code>}
          </span>
          <span class="soft call-when">
            {call.endedAt === null ? 'open' : duration(call.endedAt - call.begunAt)}
            {call.isError && <b class="errors"> failed</b>} · <Ago at={call.begunAt} />
          </span>
          {call.output !== null && (
            <code class="soft result" title={call.output}>
              → {call.output}
            </code>
          )}
        </li>
      ))}
    </ul>
  );
}
