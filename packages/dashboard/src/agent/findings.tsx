import type { AgentView } from '@holter/server/wire';
import { Ago } from '../parts/time.tsx';
import { plain } from '../words.ts';

export function Findings({ agent }: { readonly agent: AgentView }) {
  if (agent.findings.length === 0) return <p class="soft">Nothing is found against it.</p>;
  return (
    <ul class="findings">
      {agent.findings.map((finding) => (
        <li key={finding.kind} class={finding.severity}>
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
        </li>
      ))}
    </ul>
  );
}
