import type { AgentView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { DecisionDialog } from '../parts/decision-dialog.tsx';
import { mayDecide } from '../state/session.ts';
import {
  AGENT_DECISIONS,
  type AgentDecision,
  decisionAbout,
  decisionNamed,
  obstacleTo,
} from './agent-decisions.ts';

type Props = {
  readonly agent: AgentView;
  readonly onDone: () => void;
  /** Only these, in this order; all of them when left out. */
  readonly only?: readonly string[];
};

/** Offers the decisions that are possible now, and says of the others why they are not. */
export function DecisionBar({ agent, onDone, only }: Props) {
  const [chosen, setChosen] = useState<AgentDecision | null>(null);
  if (!mayDecide()) return <p class="soft">You may look, but not decide: this log-in is a viewer's.</p>;
  const offered = only ? only.flatMap((name) => decisionNamed(name) ?? []) : AGENT_DECISIONS;
  const possible = offered.filter((decision) => obstacleTo(agent, decision) === null);
  const others = offered.filter((decision) => obstacleTo(agent, decision) !== null);
  return (
    <div class="decision-bar">
      {possible.map((decision) => (
        <button type="button" key={decision.name} class={decision.tone} onClick={() => setChosen(decision)}>
          {decision.label}
        </button>
      ))}
      {!only && others.length > 0 && (
        <details class="impossible">
          <summary>Not now</summary>
          <ul>
            {others.map((decision) => (
              <li key={decision.name}>
                {decision.label}: {obstacleTo(agent, decision)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {chosen && (
        <DecisionDialog
          decision={decisionAbout(agent, chosen)}
          onClose={() => setChosen(null)}
          onDone={onDone}
        />
      )}
    </div>
  );
}
