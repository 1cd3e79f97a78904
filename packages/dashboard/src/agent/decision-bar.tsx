import type { AgentView } from '@holter/server/wire';
import { ask } from '../parts/decision-dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { get } from '../state/api.ts';
import { mayDecide } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { AGENT_DECISIONS, decisionAbout, decisionNamed, obstacleTo } from './agent-decisions.ts';

type Props = { readonly agent: AgentView };

/** The recommended decision as a button; the others in a menu, which also says what is not possible and why. */
export function DecisionBar({ agent }: Props) {
  if (!mayDecide()) return <p class="soft">Read-only: a viewer can look but not decide.</p>;
  const possible = AGENT_DECISIONS.filter((decision) => obstacleTo(agent, decision) === null);
  const others = AGENT_DECISIONS.filter((decision) => obstacleTo(agent, decision) !== null);
  const primary = possible.find(({ word }) => word === agent.recommended?.decision);
  return (
    <div class="decision-bar">
      {primary && (
        <button
          type="button"
          class={`primary ${primary.tone}`}
          onClick={() => ask(decisionAbout(agent, primary))}
        >
          {primary.label}
        </button>
      )}
      <Menu label={primary ? 'More' : 'Decide'} about={agent.agentId}>
        {possible
          .filter((decision) => decision !== primary)
          .map((decision) => (
            <button
              type="button"
              key={decision.word}
              class={decision.tone}
              onClick={() => ask(decisionAbout(agent, decision))}
            >
              {decision.label}
            </button>
          ))}
        {others.length > 0 && (
          <ul class="impossible" aria-label="Not possible now">
            {others.map((decision) => (
              <li key={decision.word}>
                {decision.label}: {obstacleTo(agent, decision)}
              </li>
            ))}
          </ul>
        )}
      </Menu>
      {primary && agent.recommended && (
        <span class="soft">Recommended, because {agent.recommended.why}.</span>
      )}
    </div>
  );
}

type RowProps = {
  readonly agentId: string;
  readonly offers: readonly string[];
  readonly recommended: string | null;
  /** Only the recommended one: where there is no room for a menu. */
  readonly isShort?: boolean;
};

/** The same from a row of the fleet, which does not have the whole agent. */
export function RowDecisions({ agentId, offers, recommended, isShort = false }: RowProps) {
  if (!mayDecide()) return null;
  const primary = recommended === null ? undefined : decisionNamed(recommended);
  const others = AGENT_DECISIONS.filter(({ word }) => offers.includes(word) && word !== primary?.word);
  return (
    <span class="row-decisions">
      {primary && (
        <button
          type="button"
          class={`primary ${primary.tone}`}
          aria-label={`${primary.label}: ${agentId}`}
          onClick={(event: Event) => {
            event.stopPropagation();
            void askAbout(agentId, primary.word);
          }}
        >
          {primary.label}
        </button>
      )}
      {!isShort && others.length > 0 && (
        <Menu label="More" about={agentId}>
          {others.map(({ word, label, tone }) => (
            <button type="button" key={word} class={tone} onClick={() => void askAbout(agentId, word)}>
              {label}
            </button>
          ))}
        </Menu>
      )}
    </span>
  );
}

export const readAgent = (agentId: string): Promise<AgentView> =>
  get<AgentView>(`/v1/agents/${encodeURIComponent(agentId)}`);

/** The dialog says what will happen to the agent as it is now. */
async function askAbout(agentId: string, word: string): Promise<void> {
  const decision = decisionNamed(word);
  if (!decision) return;
  try {
    ask(decisionAbout(await readAgent(agentId), decision));
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), true);
  }
}
