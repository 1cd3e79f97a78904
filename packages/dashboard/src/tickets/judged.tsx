import type { JudgeCheckView, TicketView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { plural } from '../parts/words.ts';
import { TicketList } from './ticket-list.tsx';

type Props = {
  readonly tickets: readonly TicketView[];
  readonly judged: JudgeCheckView;
};

/** What the judge says about an agent; nothing about one that it has never looked at. */
export function Judged({ tickets, judged: { checks, steps } }: Props) {
  if (tickets.length === 0 && checks.length === 0) return null;
  return (
    <section class="card">
      <h2>Judge</h2>
      {tickets.length === 0 ? <p class="soft">No tickets.</p> : <TicketList tickets={tickets} />}
      {tickets.length > 0 && <Steps steps={steps} />}
      <Checks checks={checks} />
    </section>
  );
}

/** The conversation that the judge goes by. */
export function Steps({ steps }: { readonly steps: JudgeCheckView['steps'] }) {
  if (steps.length === 0) return null;
  return (
    <details class="steps">
      <summary>
        {steps.length === 1 ? 'Its last step' : `Its last ${steps.length} steps`}, oldest first
      </summary>
      <ol>
        {steps.map(({ verdict, tool, text, result, isError }, index) => (
          <li key={index} class={isError ? 'failed' : ''}>
            <span class="soft">{verdict === 'CONTINUE' ? 'not judged' : verdict}</span>
            <span>
              {tool !== null && <b class="tool">{tool}</b>}
              {text !== '' && ` ${text}`}
              {result !== '' && <code class="soft"> → {result}</code>}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

const SHOWN = 20;

/** What the judge has said each time it looked, the newest first. */
export function Checks({ checks }: { readonly checks: JudgeCheckView['checks'] }) {
  if (checks.length === 0) return null;
  return (
    <details class="checks">
      <summary>{plural(checks.length, 'check')} by the judge</summary>
      <ul>
        {checks.slice(0, SHOWN).map(({ at, verdict, reasoning }) => (
          <li key={at}>
            <span class="soft">
              <Ago at={at} />
            </span>
            <span>
              <b>{verdict}:</b> {reasoning}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
