import { between, type Instant, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { lookAgainAt } from '../record/draft.ts';
import {
  graceMaxOf,
  inferredBeatsDeadline,
  isOffline,
  lastProofOf,
  lastSignOf,
  likelyCause,
  missesAt,
  pulseOf,
} from '../record/liveness.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { absenceDeadline } from '../vocabulary/stall.ts';
import { finding, isPast } from './rule.ts';

/**
 * Missed beats, by the flowchart of seed 001 §1.7: one miss only warns; at the threshold it is unknown whether the
 * agent is alive, and it is asked; offline, or an unanswered inquiry, is a failure.
 *
 * Blind spot: a background loop that keeps beating for an agent that does nothing. Other rules cover that. Rejected:
 * φ-accrual. Model calls have no tail that an average could describe; a deadline is a contract.
 */
export function missedBeats(draft: Draft): Finding | null {
  const { hard, at, policy, stalls } = draft;
  const pulse = pulseOf(hard);
  if (hard.end) return null;
  if (pulse === 'none') return inferredBeatsMissed(draft);
  const { count, nextAt } = missesAt(draft, at, policy, stalls);
  lookAgainAt(draft, nextAt);
  if (count === 0) return null;

  const proof = lastProofOf(draft);
  const isUnknown = count >= policy.beat.missedMax;
  // Seed 001: hibernated is not failed. Its executor or a person wakes it.
  const isHibernated = hard.holds.some(({ kind }) => kind === 'hibernated');
  const isFailure =
    isUnknown && !isHibernated && (isOffline(hard) || isUnanswered(draft, hard.inquiry?.askedAt));
  const who = pulse === 'looks' ? 'no report about its process' : 'no sign of life';
  return finding({
    kind: hard.promises.pongs && hard.promises.beatEveryMs === undefined ? 'no-pong' : 'missed-heartbeats',
    severity: isFailure ? 'act' : 'warn',
    // Missing probes mean that the executor was not heard. That is no evidence about the agent.
    source: pulse === 'looks' ? 'operating-system' : 'agent-reports',
    since: proof,
    evidence: `${who} for ${inWords(between(proof, at))}, ${count} of ${policy.beat.missedMax} missed (${likelyCause(draft)})`,
    threshold: `${policy.beat.missedMax} missed beats and an unanswered inquiry`,
  });
}

/** An agent that promised no beats has sent some, and now gives no sign of life of any kind. This only warns. */
function inferredBeatsMissed(draft: Draft): Finding | null {
  const { hard, at, policy, stalls } = draft;
  if (hard.inferred?.beats === undefined || hard.holds.length > 0) return null;
  if (!isPast(draft, inferredBeatsDeadline(draft, policy, stalls))) return null;
  const { intervalMs, missedMax } = policy.beat;
  const since = lastSignOf(draft);
  return finding({
    kind: 'missed-heartbeats',
    severity: 'warn',
    source: 'agent-reports',
    since,
    evidence: `no sign of life for ${inWords(between(since, at))}, though it has sent beats`,
    threshold: `${missedMax} beats of ${inWords(intervalMs)} missed (inferred from its role, ${hard.role})`,
  });
}

/** The inquiry's deadline has passed; an answer would have cleared the inquiry. */
export function isUnanswered(draft: Draft, askedAt: Instant | undefined): boolean {
  const { hard, policy, stalls } = draft;
  if (askedAt === undefined) return false;
  return isPast(draft, absenceDeadline(askedAt, policy.inquiryWaitMs, stalls, graceMaxOf(hard, policy)));
}
