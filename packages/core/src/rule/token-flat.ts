import { between, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { isKnownToWork } from '../record/work.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { atRest, deadlineAfter, finding, isPast } from './rule.ts';

/**
 * Seed 000 §2: zero consumption means stuck. The agent is known to work, its newest report repeats its token total,
 * and nothing else shows that it does anything.
 *
 * Intuition: work needs model calls. The total must have been repeated, because an agent that reports no total uses
 * tokens unseen. Blind spot: agents that report neither tasks nor turns; they may rightly be idle.
 */
export function tokenFlat(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  const { grown, isFlat } = hard.trail ?? {};
  if (!grown || !isFlat || !isKnownToWork(hard)) return null;
  if (hard.holds.length > 0) return atRest(draft, 'token-flat', grown.at);
  const worked = hard.work && hard.work.at > grown.at ? hard.work : grown;
  const since = hard.doing && hard.doing.at > worked.at ? hard.doing : worked;
  const { flatWarnMs, flatActMs } = policy.detection.tokens;
  if (!isPast(draft, deadlineAfter(draft, since, flatWarnMs))) return null;
  const isAct = isPast(draft, deadlineAfter(draft, since, flatActMs));
  return finding({
    kind: 'token-flat',
    severity: isAct ? 'act' : 'warn',
    source: 'agent-reports',
    since: since.at,
    evidence: `has work, but used no token for ${inWords(between(since.at, at))}`,
    threshold: `${inWords(flatWarnMs)} to warn, ${inWords(flatActMs)} to act`,
  });
}
