import type { AgentView, FindingView } from '@holter/server/wire';
import { ask } from '../parts/decision-dialog.tsx';
import { Ago } from '../parts/time.tsx';
import { plain, plural } from '../parts/words.ts';
import { mayDecide } from '../state/session.ts';
import { falseAlarm, snooze, wake } from './finding-decisions.ts';
import { SnoozeLine } from './snooze-line.tsx';

type Props = { readonly agent: AgentView };

/** The findings with the decisions about each, and the kinds that are snoozed. */
export function Findings({ agent }: Props) {
  const { findings, quietFindings } = agent;
  const unfound = quietFindings.filter(({ kind }) => !findings.some((found) => found.kind === kind));
  return (
    <>
      {findings.length === 0 && <p class="soft">No findings.</p>}
      <ul class="findings">
        {findings.map((finding) => (
          <li key={finding.kind} class={finding.severity}>
            <Found finding={finding} />
            <Said agent={agent} kind={finding.kind} isFound />
          </li>
        ))}
        {unfound.map(({ kind }) => (
          <li key={kind}>
            <p>
              <b>{plain(kind)}</b> <span class="soft">resolved</span>
            </p>
            <Said agent={agent} kind={kind} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Found({ finding }: { readonly finding: FindingView }) {
  return (
    <>
      <p>
        <b>{plain(finding.kind)}</b> <span class={`tag ${finding.severity}`}>{finding.severity}</span>{' '}
        <span class="soft">
          <Ago at={finding.since} />
        </span>
      </p>
      <p class="evidence">{finding.evidence}</p>
      <p class="soft">
        Limit: {finding.threshold} · from {plain(finding.source)}
        {finding.count !== null && ` · ${plural(finding.count, 'time')}`}
      </p>
    </>
  );
}

type SaidProps = {
  readonly agent: AgentView;
  readonly kind: string;
  readonly isFound?: boolean;
};

/** The decision about one kind that is in force, and the decisions that are possible. */
function Said({ agent, kind, isFound = false }: SaidProps) {
  const quiet = agent.quietFindings.find((each) => each.kind === kind) ?? null;
  const decisions = quiet ? [wake] : [snooze, ...(isFound ? [falseAlarm] : [])];
  return (
    <>
      <SnoozeLine snooze={quiet} />
      {mayDecide() && !agent.end && (
        <p class="finding-decisions">
          {decisions.map((make) => {
            const decision = make(agent, kind);
            return (
              <button
                type="button"
                key={decision.label}
                class="quiet"
                aria-label={`${decision.label}: ${plain(kind)}`}
                onClick={() => ask(decision)}
              >
                {decision.label}
              </button>
            );
          })}
        </p>
      )}
    </>
  );
}
