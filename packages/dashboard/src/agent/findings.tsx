import type { AgentView, FindingView } from '@holter/server/wire';
import { useState } from 'preact/hooks';
import { type Decision, DecisionDialog } from '../parts/decision-dialog.tsx';
import { Ago } from '../parts/time.tsx';
import { plain } from '../parts/words.ts';
import { mayDecide } from '../state/session.ts';
import { snooze, wake, wrong } from './finding-decisions.ts';
import { QuietLine } from './quiet-line.tsx';

type Props = { readonly agent: AgentView; readonly onDone: () => void };

/** The findings with the decisions about each, and the kinds that are snoozed. */
export function Findings({ agent, onDone }: Props) {
  const [chosen, setChosen] = useState<Decision | null>(null);
  const { findings, quietFindings } = agent;
  const unfound = quietFindings.filter(({ kind }) => !findings.some((found) => found.kind === kind));
  return (
    <>
      {findings.length === 0 && <p class="soft">Nothing is found against it.</p>}
      <ul class="findings">
        {findings.map((finding) => (
          <li key={finding.kind} class={finding.severity}>
            <Found finding={finding} />
            <Said agent={agent} kind={finding.kind} isFound choose={setChosen} />
          </li>
        ))}
        {unfound.map(({ kind }) => (
          <li key={kind}>
            <p>
              <b>{plain(kind)}</b> <span class="soft">is not found now</span>
            </p>
            <Said agent={agent} kind={kind} choose={setChosen} />
          </li>
        ))}
      </ul>
      {chosen && <DecisionDialog decision={chosen} onClose={() => setChosen(null)} onDone={onDone} />}
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
        Limit: {finding.threshold} · seen by {plain(finding.source)}
        {finding.count !== null && ` · ${finding.count} times`}
      </p>
    </>
  );
}

type SaidProps = {
  readonly agent: AgentView;
  readonly kind: string;
  readonly isFound?: boolean;
  readonly choose: (decision: Decision) => void;
};

/** The decision about one kind that is in force, and the decisions that are possible. */
function Said({ agent, kind, isFound = false, choose }: SaidProps) {
  const quiet = agent.quietFindings.find((each) => each.kind === kind) ?? null;
  const decisions = quiet ? [wake] : [snooze, ...(isFound ? [wrong] : [])];
  return (
    <>
      <QuietLine quiet={quiet} />
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
                onClick={() => choose(decision)}
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
