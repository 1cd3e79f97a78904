import type { AgentView, CheckpointPage } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { type Decision, DecisionDialog } from '../parts/decision-dialog.tsx';
import { Ago } from '../parts/time.tsx';
import { mayDecide } from '../state/session.ts';
import { canStartFrom, isOfItsTask, recoverFrom } from './checkpoint-decision.ts';

type Props = {
  readonly page: CheckpointPage;
  readonly agent: AgentView;
  readonly onDone: () => void;
};

/** The checkpoints, newest first: which are valid, where a successor would start, and where it could start. */
export function Checkpoints({ page: { checkpoints, usable }, agent, onDone }: Props) {
  const [chosen, setChosen] = useState<Decision | null>(null);
  if (checkpoints.length === 0)
    return <p class="soft">None. A successor would start at the beginning of its task.</p>;
  return (
    <>
      <ol class="chain">
        {checkpoints.map((each) => (
          <li key={each.checkpointId} class={each.isValid ? '' : 'broken'}>
            <code>{each.checkpointId}</code>
            <span>{each.isValid ? '✓ valid' : '✗ damaged'}</span>
            {each.checkpointId === usable && <span class="tag calm">a recovery starts here</span>}
            <span class="soft">
              <Ago at={each.at} /> · start {each.incarnation}
              {!isOfItsTask(agent, each) && ' · of another task'}
            </span>
            {mayDecide() && canStartFrom(agent, each) && (
              <button
                type="button"
                class="quiet"
                aria-label={`Recover from here: ${each.checkpointId}`}
                onClick={() => setChosen(recoverFrom(agent, checkpoints, each.checkpointId))}
              >
                Recover from here
              </button>
            )}
          </li>
        ))}
      </ol>
      {chosen && <DecisionDialog decision={chosen} onClose={() => setChosen(null)} onDone={onDone} />}
    </>
  );
}
