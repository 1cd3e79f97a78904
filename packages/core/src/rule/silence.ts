import { between, inWords, milliseconds } from '../base/time.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { lastSignOf } from '../record/liveness.ts';
import { hasWork, isKnownToWork, isUnstarted } from '../record/work.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { atRest, deadlineAfter, finding, isPast, markOfSign } from './rule.ts';

/**
 * An agent that reports its calls, has work, and does nothing: no call, no text, no token. Time in open tools and
 * other holds does not count, nor the time for which its model call may hang, where its adapter knows it.
 *
 * Intuition: thinking is finite, and every CLI gives up a hung model call by itself after a known time. Blind spot:
 * agents that report no calls; for them silence means nothing, and this rule does not apply.
 */
export function silence(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  const basis = basisOf(hard);
  if (basis === null) return null;
  const kind = isUnstarted(hard) ? 'work-unstarted' : 'silent';
  if (hard.holds.length > 0) return atRest(draft, kind, hard.doing?.at);

  const { calls, verdicts } = hard.promises;
  const acted = hard.doing ?? hard.work ?? markNow(draft);
  const sinceMark = basis === 'inferred' ? markOfSign(draft, acted, lastSignOf(draft)) : acted;
  const modelTimeoutMs = calls?.modelTimeoutMs ?? 0;
  // Seed 003: an agent that is judged step by step is stalled after four minutes without a verdict.
  const patienceMs = verdicts ? policy.detection.verdictStreak.stallMs : policy.silence.actMs;
  const actMs = hard.probation ? Math.min(policy.silence.probationActMs, patienceMs) : patienceMs;
  const warnMs = basis === 'inferred' ? actMs : Math.min(policy.silence.warnMs, actMs);
  if (!isPast(draft, deadlineAfter(draft, sinceMark, warnMs + modelTimeoutMs))) return null;
  const isAct =
    basis !== 'inferred' && isPast(draft, deadlineAfter(draft, sinceMark, actMs + modelTimeoutMs));
  const quiet = inWords(between(sinceMark.at, at));
  const added = modelTimeoutMs > 0 ? `, plus ${inWords(milliseconds(modelTimeoutMs))} for a model call` : '';
  return finding({
    kind,
    severity: isAct ? 'act' : 'warn',
    source: 'agent-reports',
    since: sinceMark.at,
    evidence:
      kind === 'silent'
        ? `has work, but made no call and said nothing for ${quiet}`
        : `has a task that it has not begun after ${quiet}`,
    threshold:
      basis === 'inferred'
        ? `${inWords(milliseconds(warnMs))} to warn (inferred from its first call)`
        : `${inWords(milliseconds(warnMs))} to warn, ${inWords(milliseconds(actMs))} to act${added}`,
  });
}

/** It has promised to report what it does, and has not done anything for a while. It may be waiting for its model. */
export function isInSilence(draft: Draft): boolean {
  const { hard, policy, at } = draft;
  if (hard.holds.length > 0 || basisOf(hard) !== 'promised') return false;
  const acted = hard.doing ?? hard.work ?? markNow(draft);
  return deadlineAfter(draft, acted, policy.silence.warnMs) <= at;
}

/**
 * Why it is judged by its calls. `told`: its beats say when its last call was, and it is known to work (seed 000 §2).
 * `inferred`: it has reported a call once; any sign of life will do.
 */
function basisOf(hard: Hard): 'promised' | 'told' | 'inferred' | null {
  const { promises, inferred } = hard;
  if (promises.calls || promises.verdicts) return hasWork(hard) ? 'promised' : null;
  if (inferred?.lastCalls !== undefined && isKnownToWork(hard)) return 'told';
  return inferred?.calls !== undefined && hasWork(hard) ? 'inferred' : null;
}
