import type { AgentView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { DeedDialog } from '../parts/deed-dialog.tsx';
import { mayDecide } from '../state/session.ts';
import { ACTIONS, type Action, actionNamed, deedOf } from './actions.ts';

type Props = {
  readonly agent: AgentView;
  readonly onDone: () => void;
  /** Only these, in this order; all of them when left out. */
  readonly only?: readonly string[];
};

/** Only what can be done now is offered; what can not says why. */
export function ActionBar({ agent, onDone, only }: Props) {
  const [chosen, setChosen] = useState<Action | null>(null);
  if (!mayDecide()) return <p class="soft">You may look, but not decide: this log-in is a viewer's.</p>;
  const offered = only ? only.flatMap((name) => actionNamed(name) ?? []) : ACTIONS;
  const possible = offered.filter((action) => action.obstacle(agent) === null);
  const others = offered.filter((action) => action.obstacle(agent) !== null);
  return (
    <div class="actions">
      {possible.map((action) => (
        <button type="button" key={action.name} class={action.tone} onClick={() => setChosen(action)}>
          {action.label}
        </button>
      ))}
      {!only && others.length > 0 && (
        <details class="impossible">
          <summary>Not now</summary>
          <ul>
            {others.map((action) => (
              <li key={action.name}>
                {action.label}: {action.obstacle(agent)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {chosen && <DeedDialog deed={deedOf(chosen, agent)} onClose={() => setChosen(null)} onDone={onDone} />}
    </div>
  );
}
