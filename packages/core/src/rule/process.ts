import { between, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { graceMaxOf, isToReturn, lookEveryOf, missesAt, pulseOf } from '../record/liveness.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { absenceDeadline } from '../vocabulary/stall.ts';
import { finding, isPast } from './rule.ts';

/** For how many probe intervals a probe remains evidence. */
export const LOOKS_FRESH = 3;

/** The process of an agent that is to be brought back ended. Exit 0 and an intended stop are not failures. */
export function processGone({ hard }: Draft): Finding | null {
  if (!hard.end || hard.end.byHolter || !isToReturn(hard)) return null;
  return finding({
    kind: 'process-gone',
    severity: 'act',
    source: 'operating-system',
    since: hard.end.at,
    evidence: `its process ended${hard.limitedUntil === undefined ? '' : ' at a usage limit of its model'}: ${hard.end.detail}`,
    threshold: 'any end that was neither exit 0 nor on purpose',
  });
}

/**
 * What the operating system shows about a freeze. Stopped (SIGSTOP) is unambiguous. A flat process (no CPU, no I/O,
 * no child at work) looks exactly like one that waits for its model, so flat alone means nothing: it is the second
 * source when the agent has already broken a promise, and never the first.
 */
export function frozen(draft: Draft): Finding | null {
  const { hard, at, policy, stalls } = draft;
  const seen = hard.process;
  if (!seen || hard.end) return null;
  // A stale probe proves nothing.
  if (at - draft.soft.probedAt > LOOKS_FRESH * lookEveryOf(policy)) return null;
  if (seen.state === 'stopped') {
    if (
      !isPast(draft, absenceDeadline(seen.since, policy.freeze.stoppedMs, stalls, graceMaxOf(hard, policy)))
    )
      return null;
    return finding({
      kind: 'frozen',
      severity: 'act',
      source: 'operating-system',
      since: seen.since,
      evidence: `its process is stopped (SIGSTOP) for ${inWords(between(seen.since, at))}`,
      threshold: `${inWords(policy.freeze.stoppedMs)} stopped`,
    });
  }
  if (seen.state !== 'flat' || !hasBrokenPromise(draft)) return null;
  if (!isPast(draft, absenceDeadline(seen.since, policy.freeze.flatMs, stalls, graceMaxOf(hard, policy))))
    return null;
  return finding({
    kind: 'frozen',
    severity: 'act',
    source: 'operating-system',
    since: seen.since,
    evidence: `no CPU, no I/O and no child at work for ${inWords(between(seen.since, at))}, and it should be heard`,
    threshold: `${inWords(policy.freeze.flatMs)} flat, and a broken promise`,
  });
}

/** The rule `silence` runs before this one. */
function hasBrokenPromise(draft: Draft): boolean {
  const { hard, at, policy, stalls } = draft;
  const isSilent = draft.found.some(({ kind, severity }) => kind === 'silent' && severity === 'act');
  if (isSilent && (hard.promises.calls || hard.promises.verdicts)) return true;
  return pulseOf(hard) === 'beats' && missesAt(draft, at, policy, stalls).count >= policy.beat.missedMax;
}
