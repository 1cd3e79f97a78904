import { between, inWords, later } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { finding, isPast } from './rule.ts';

/** A forgotten hold would suspend judging for ever. After its maximum age a person is told; it never causes a kill. */
export function holdOverdue(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  if (hard.end) return null;
  for (const hold of hard.holds) {
    const ageMsMax = policy.holdMsMax[hold.kind];
    if (!isPast(draft, later(hold.since, ageMsMax))) continue;
    return finding({
      kind: 'hold-overdue',
      severity: 'warn',
      source: 'agent-reports',
      since: hold.since,
      evidence: `on hold (${hold.kind}) for ${inWords(between(hold.since, at))}`,
      threshold: `${inWords(ageMsMax)} for ${hold.kind}`,
    });
  }
  return null;
}
