import type { BreakerView } from '@holter/server/wire';
import { ask, type Decision } from '../parts/decision-dialog.tsx';
import { Link } from '../parts/link.tsx';
import { Table } from '../parts/table.tsx';
import { Countdown } from '../parts/time.tsx';
import { personOf, plain, plural } from '../parts/words.ts';
import { agentPath } from '../state/route.ts';
import { mayDecide } from '../state/session.ts';

type Word = 'isolate' | 'reset';
type Choice = { readonly breaker: BreakerView; readonly word: Word };

const icons: Readonly<Record<BreakerView['state'], string>> = { CLOSED: '—', OPEN: '╱ ', HALF_OPEN: '╌' };
const labels: Readonly<Record<Word, string>> = { isolate: 'Isolate', reset: 'Reset' };
const words: Readonly<Record<Word, string>> = {
  isolate: 'It stays open for an hour, whatever is reported: no call is permitted.',
  reset: 'It closes now, and its counters are reset. If calls still fail, it opens again.',
};

type Props = {
  readonly breakers: readonly BreakerView[];
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

export function BreakerTable({ breakers, hasAgent = false }: Props) {
  if (breakers.length === 0) return <p class="soft">No breaker has been used.</p>;
  return (
    <Table name="Breakers" columns={[...(hasAgent ? ['Agent'] : []), ...COLUMNS]} look="plain breakers">
      {breakers.map((breaker) => (
        <tr key={`${breaker.agentId} ${breaker.name}`}>
          {hasAgent && (
            <td>
              <Link to={agentPath(breaker.agentId)}>{breaker.agentId}</Link>
            </td>
          )}
          <td class="what">
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
                <button
                  type="button"
                  key={word}
                  class="quiet"
                  onClick={() => ask(decisionOf({ breaker, word }))}
                >
                  {labels[word]}
                </button>
              ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Now({ breaker }: { readonly breaker: BreakerView }) {
  const { isolation, retryAt, failures, trips, state, permits } = breaker;
  if (isolation)
    return (
      <>
        isolated by {personOf(isolation.by)}: {isolation.reason}
      </>
    );
  if (retryAt !== null)
    return (
      <>
        opened {plural(trips, 'time')} in a row, next trial call in <Countdown to={retryAt} />
      </>
    );
  if (state === 'HALF_OPEN')
    return <>{permits === 0 ? 'ready for a trial call' : `${plural(permits, 'trial call')} under way`}</>;
  return (
    <span class="soft">{failures === 0 ? 'no failures' : `${plural(failures, 'failure')} in a row`}</span>
  );
}

function decisionOf({ breaker, word }: Choice): Decision {
  const { agentId, name } = breaker;
  const label = labels[word];
  return {
    agentId,
    title: `${label} ${name}`,
    label,
    tone: 'calm',
    preview: words[word],
    done: () => `Breaker ${name} of ${agentId} is ${word === 'reset' ? 'closed' : 'isolated'}`,
    send: ({ reason }) => ({
      path: `/v1/agents/${encodeURIComponent(agentId)}/breakers/${encodeURIComponent(name)}/${word}`,
      body: { reason },
    }),
  };
}
