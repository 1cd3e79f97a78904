import type { BreakerView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { type Decision, DecisionDialog } from '../parts/decision-dialog.tsx';
import { Link } from '../parts/link.tsx';
import { Table } from '../parts/table.tsx';
import { Countdown } from '../parts/time.tsx';
import { plain } from '../parts/words.ts';
import { agentPath } from '../state/route.ts';
import { mayDecide } from '../state/session.ts';

type Word = 'isolate' | 'reset';
type Chosen = { readonly breaker: BreakerView; readonly word: Word };

const icons: Readonly<Record<BreakerView['state'], string>> = { CLOSED: '—', OPEN: '╱ ', HALF_OPEN: '╌' };
const words: Readonly<Record<Word, string>> = {
  isolate: 'It is held open for an hour, whatever is reported: nobody gets a permit.',
  reset: 'It closes now, and what was counted is forgotten. If calls still fail, it opens again.',
};

type Props = {
  readonly breakers: readonly BreakerView[];
  readonly onDone: () => void;
  readonly hasAgent?: boolean;
};

const COLUMNS = [
  'Name',
  'State',
  'Now',
  <span key="decisions" class="hidden">
    Decisions
  </span>,
];

export function BreakerTable({ breakers, onDone, hasAgent = false }: Props) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  if (breakers.length === 0) return <p class="soft">No breaker was asked yet.</p>;
  return (
    <>
      <Table name="Breakers" columns={[...(hasAgent ? ['Agent'] : []), ...COLUMNS]} look="plain breakers">
        {breakers.map((breaker) => (
          <tr key={`${breaker.agentId} ${breaker.name}`}>
            {hasAgent && (
              <td>
                <Link to={agentPath(breaker.agentId)}>{breaker.agentId}</Link>
              </td>
            )}
            <td>
              <code>{breaker.name}</code>
            </td>
            <td class={`breaker-${breaker.state.toLowerCase()}`}>
              <span aria-hidden="true">{icons[breaker.state]}</span> {plain(breaker.state)}
            </td>
            <td>
              <Now breaker={breaker} />
            </td>
            <td>
              {mayDecide() &&
                (['isolate', 'reset'] as const).map((word) => (
                  <button type="button" key={word} class="quiet" onClick={() => setChosen({ breaker, word })}>
                    {word}
                  </button>
                ))}
            </td>
          </tr>
        ))}
      </Table>
      {chosen && (
        <DecisionDialog decision={decisionOf(chosen)} onClose={() => setChosen(null)} onDone={onDone} />
      )}
    </>
  );
}

function Now({ breaker }: { readonly breaker: BreakerView }) {
  const { isolation, retryAt, failures, trips, state, permits } = breaker;
  if (isolation)
    return (
      <>
        isolated by {isolation.by}: {isolation.reason}
      </>
    );
  if (retryAt !== null)
    return (
      <>
        trip {trips}, tries again in <Countdown to={retryAt} />
      </>
    );
  if (state === 'HALF_OPEN') return <>{permits} trying</>;
  return <span class="soft">{failures === 0 ? 'no failure' : `${failures} failures in a row`}</span>;
}

function decisionOf({ breaker, word }: Chosen): Decision {
  const { agentId, name } = breaker;
  const label = word === 'reset' ? 'Reset' : 'Isolate';
  return {
    title: `${label} ${name}`,
    label,
    tone: 'calm',
    preview: words[word],
    send: ({ reason }) => ({
      path: `/v1/agents/${encodeURIComponent(agentId)}/breakers/${encodeURIComponent(name)}/${word}`,
      body: { reason },
    }),
  };
}
