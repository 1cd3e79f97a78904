import type { Instant } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Draft } from '../record/draft.ts';
import { lookAgainAt, markNow } from '../record/draft.ts';
import { graceMaxOf } from '../record/liveness.ts';
import type { Finding, FindingKind } from '../vocabulary/finding.ts';
import { EVIDENCE_LENGTH_MAX } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import { heldUntil } from '../vocabulary/hold.ts';
import { absenceDeadline } from '../vocabulary/stall.ts';

/**
 * A rule looks at the facts and yields at most one finding. It also names the next moment at which time alone could
 * change its answer (`lookAgainAt`). It never acts and keeps no state of its own.
 */
export type Rule = (draft: Draft) => Finding | null;

/** Which hold stopwatch stops a deadline. */
type Watch = 'anyMs' | 'outsideToolMs';

/** `mark + wait`, moved by holds and by Holter's own stalls. */
export function deadlineAfter(draft: Draft, mark: Mark, wait: number, watch: Watch = 'anyMs'): Instant {
  const { hard, at, policy, stalls } = draft;
  const heldMs = heldUntil(hard.heldBefore, hard.holds, at)[watch] - mark.held[watch];
  return absenceDeadline(mark.at, wait + heldMs, stalls, graceMaxOf(hard, policy));
}

/** As `deadlineAfter`, for a wait of the ladder: the agent's own holds make it longer by a share only. */
export function ladderDeadline(draft: Draft, mark: Mark, wait: number): Instant {
  const { hard, at, policy, stalls } = draft;
  const held = heldUntil(hard.heldBefore, hard.holds, at);
  const ownMs = (held.ownMs ?? 0) - (mark.held.ownMs ?? 0);
  const heldMs = held.anyMs - mark.held.anyMs - Math.max(0, ownMs - ownDelayOf(wait, policy));
  return absenceDeadline(mark.at, wait + heldMs, stalls, graceMaxOf(hard, policy));
}

/** A wait of this length may become so much longer by the holds that the agent declares itself. */
export const ownDelayOf = (waitMs: number, { ownHoldShareMax }: Policy): number =>
  (waitMs * ownHoldShareMax) / (1 - ownHoldShareMax);

/** The later of a mark and a sign of life, which has no readings of its own: nothing was held since it. */
export function markOfSign(draft: Draft, mark: Mark, signAt: Instant): Mark {
  return signAt > mark.at ? { at: signAt, held: markNow(draft).held } : mark;
}

/** Whether the deadline has passed; if not, asks to be woken then. */
export function isPast(draft: Draft, deadline: Instant): boolean {
  if (deadline <= draft.at) return true;
  lookAgainAt(draft, deadline);
  return false;
}

/** The finding of this kind from the last judgement. */
export const asBefore = (draft: Draft, kind: FindingKind): Finding | null =>
  draft.hard.derived.find((finding) => finding.kind === kind) ?? null;

/**
 * During a hold progress is not judged: a finding stays as it was and no new one is made. It ends only if the event
 * that was missing came after the finding began (`cameAt`).
 */
export function atRest(draft: Draft, kind: FindingKind, cameAt: Instant | undefined): Finding | null {
  const before = asBefore(draft, kind);
  return before && cameAt !== undefined && cameAt > before.since ? null : before;
}

export function finding(fields: Finding): Finding {
  if (fields.evidence.length <= EVIDENCE_LENGTH_MAX) return fields;
  return { ...fields, evidence: `${fields.evidence.slice(0, EVIDENCE_LENGTH_MAX - 1)}…` };
}
