import type { AgentView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { type AgentDecision, decisionAbout, decisionNamed, obstacleTo } from '../agent/agent-decisions.ts';
import { readAgent } from '../agent/decision-bar.tsx';
import { askAll } from '../parts/decision-dialog.tsx';
import { plural } from '../parts/words.ts';
import { known } from '../state/live.ts';
import { mayDecide } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { select, selected, selectedCount } from './selection.ts';

const OFFERED = [
  'terminate_and_recover',
  'recover',
  'nudge',
  'acknowledge',
  'allow_more_time',
  'wrong',
  'pause',
  'terminate',
];

/** One decision about all agents that are selected. */
export function BulkBar() {
  const [isReading, setReading] = useState(false);
  if (selectedCount.value === 0 || !mayDecide()) return null;
  const choose = async (decision: AgentDecision): Promise<void> => {
    setReading(true);
    try {
      const agents = await Promise.all([...selected.value].map(readAgent));
      askPossible(agents, decision);
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error), true);
    }
    setReading(false);
  };
  return (
    <section class="bulk" aria-label="Decide about the selected agents">
      <b>{plural(selectedCount.value, 'agent')} selected</b>
      {OFFERED.flatMap((word) => decisionNamed(word) ?? [])
        .filter(({ word }) => word !== 'recover')
        .map((decision) => (
          <button
            type="button"
            key={decision.word}
            class={decision.tone}
            disabled={isReading}
            onClick={() => void choose(decision)}
          >
            {decision.label}
          </button>
        ))}
      <button type="button" class="quiet" onClick={() => select(known.value.ids)}>
        Select all shown
      </button>
      <button type="button" class="quiet" onClick={() => select([])}>
        Clear
      </button>
    </section>
  );
}

/** The dialog is about those for which it is possible; of the others the reason is said. */
function askPossible(agents: readonly AgentView[], decision: AgentDecision): void {
  const fitting = (agent: AgentView): AgentDecision =>
    decision.word === 'terminate_and_recover' && agent.end
      ? (decisionNamed('recover') ?? decision)
      : decision;
  const possible = agents.filter((agent) => obstacleTo(agent, fitting(agent)) === null);
  const others = agents.filter((agent) => !possible.includes(agent));
  const [first] = others;
  if (first)
    tell(
      `${decision.label} is not possible for ${others.length === 1 ? first.agentId : `${others.length} of them`}: ${obstacleTo(first, fitting(first))}`,
      true,
    );
  askAll(possible.map((agent) => decisionAbout(agent, fitting(agent))));
}
