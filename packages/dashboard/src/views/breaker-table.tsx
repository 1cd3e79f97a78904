import type { BreakerView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { messageOf, post } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Link } from '../parts/link.tsx';
import { Problem } from '../parts/messages.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { Countdown } from '../parts/time.tsx';
import { agentPath } from '../route.ts';
import { mayDecide } from '../session.ts';
import { plain } from '../words.ts';

type Word = 'isolate' | 'reset';
type Chosen = { readonly breaker: BreakerView; readonly word: Word };

const marks: Readonly<Record<BreakerView['state'], string>> = { CLOSED: '—', OPEN: '╱ ', HALF_OPEN: '╌' };
const words: Readonly<Record<Word, string>> = {
  isolate: 'It is held open for an hour, whatever is reported: nobody gets a permit.',
  reset: 'It closes now, and what was counted is forgotten. If calls still fail, it opens again.',
};

type Props = {
  readonly breakers: readonly BreakerView[];
  readonly onDone: () => void;
  readonly hasAgent?: boolean;
};

export function BreakerTable({ breakers, onDone, hasAgent = false }: Props) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  if (breakers.length === 0) return <p class="soft">No breaker was asked yet.</p>;
  return (
    <>
      <Scroll name="Breakers">
        <table class="plain breakers">
          <thead>
            <tr>
              {hasAgent && <th scope="col">Agent</th>}
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Now</th>
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
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
                  <span aria-hidden="true">{marks[breaker.state]}</span> {plain(breaker.state)}
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
                        onClick={() => setChosen({ breaker, word })}
                      >
                        {word}
                      </button>
                    ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {chosen && <BreakerDialog chosen={chosen} onClose={() => setChosen(null)} onDone={onDone} />}
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

type DialogProps = {
  readonly chosen: Chosen;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

function BreakerDialog({ chosen: { breaker, word }, onClose, onDone }: DialogProps) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const path = `/v1/agents/${encodeURIComponent(breaker.agentId)}/breakers/${encodeURIComponent(breaker.name)}/${word}`;
    try {
      await post(path, { reason: reason.trim() });
      onDone();
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <Dialog title={`${word === 'reset' ? 'Reset' : 'Isolate'} ${breaker.name}`} onClose={onClose}>
      <form onSubmit={(event: Event) => void submit(event)}>
        <p class="preview">
          <b>What will happen. </b>
          {words[word]}
        </p>
        <label class="field">
          Reason, for the audit trail
          <input
            value={reason}
            required
            maxLength={1_000}
            onInput={(event: Event) => setReason((event.target as HTMLInputElement).value)}
          />
        </label>
        {problem !== null && <Problem error={problem} />}
        <div class="dialog-foot">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="calm" disabled={reason.trim() === ''}>
            {word === 'reset' ? 'Reset' : 'Isolate'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
