import { between, inWords, milliseconds } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { hasWork, isUnstarted } from '../record/work.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { atRest, deadlineAfter, finding, isPast } from './rule.ts';

/**
 * An agent that reports its calls, has work, and does nothing: no call, no text, no token. Time in open tools and
 * other holds does not count, nor the time for which its model call may hang.
 *
 * Intuition: thinking is finite, and every CLI gives up a hung model call by itself after a known time. Blind spot:
 * agents that report no calls; for them silence means nothing, and this rule does not apply.
 */
export function silence(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  const { calls, verdicts } = hard.promises;
  if ((!calls && !verdicts) || !hasWork(hard)) return null;
  const kind = isUnstarted(hard) ? 'work-unstarted' : 'silent';
  if (hard.holds.length > 0) return atRest(draft, kind, hard.doing?.at);

  const sinceMark = hard.doing ?? hard.work ?? markNow(draft);
  const modelTimeoutMs = calls?.modelTimeoutMs ?? 0;
  // Seed 003: an agent that is judged step by step is stalled after four minutes without a verdict.
  const patienceMs = verdicts ? policy.detection.verdictStreak.stallMs : policy.silence.actMs;
  const actMs = hard.probation ? Math.min(policy.silence.probationActMs, patienceMs) : patienceMs;
  const warnMs = Math.min(policy.silence.warnMs, actMs);
  if (!isPast(draft, deadlineAfter(draft, sinceMark, warnMs + modelTimeoutMs))) return null;
  const isAct = isPast(draft, deadlineAfter(draft, sinceMark, actMs + modelTimeoutMs));
  const quiet = inWords(between(sinceMark.at, at));
  return finding({
    kind,
    severity: isAct ? 'act' : 'warn',
    source: 'agent-reports',
    since: sinceMark.at,
    evidence:
      kind === 'silent'
        ? `has work, but made no call and said nothing for ${quiet}`
        : `has a task that it has not begun after ${quiet}`,
    threshold: `${inWords(policy.silence.warnMs)} to warn, ${inWords(milliseconds(actMs))} to act`,
  });
}
