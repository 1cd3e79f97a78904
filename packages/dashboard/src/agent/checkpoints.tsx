import type { AgentView, CheckpointPage } from '@holter/server/wire';
import { ask } from '../parts/decision-dialog.tsx';
import { Ago } from '../parts/time.tsx';
import { ordinal } from '../parts/words.ts';
import { mayDecide } from '../state/session.ts';
import { canStartFrom, isOfItsTask, restartFrom } from './checkpoint-decision.ts';

type Props = {
  readonly page: CheckpointPage;
  readonly agent: AgentView;
};

/** The checkpoints, newest first: which are valid, where a successor would start, and where it could start. */
export function Checkpoints({ page: { checkpoints, usable }, agent }: Props) {
  if (checkpoints.length === 0)
    return <p class="soft">None. A successor would start at the beginning of its task.</p>;
  return (
    <ol class="chain">
      {checkpoints.map((each) => (
        <li key={each.checkpointId} class={each.isValid ? '' : 'broken'}>
          <code>{each.checkpointId}</code>
          <span>{each.isValid ? '✓ valid' : '✗ damaged'}</span>
          {each.checkpointId === usable && <span class="tag calm">a restart begins here</span>}
          <span class="soft">
            <Ago at={each.at} /> · {ordinal(each.incarnation)} start
            {!isOfItsTask(agent, each) && ' · of another task'}
          </span>
          {mayDecide() && canStartFrom(agent, each) && (
            <button
              type="button"
              class="quiet"
              aria-label={`Restart from here: ${each.checkpointId}`}
              onClick={() => ask(restartFrom(agent, checkpoints, each.checkpointId))}
            >
              Restart from here
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
