import { between, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { lastSignOf } from '../record/liveness.ts';
import { hasWork } from '../record/work.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import { asBefore, atRest, deadlineAfter, finding, isPast, markOfSign } from './rule.ts';

/**
 * Seed 000 §1: a checkpoint younger than 10 minutes is fine, older than 30 is stuck, and in between the agent shows
 * warning signs. It is stuck only if there was no other progress either: many healthy agents write few checkpoints.
 * The clock runs during a tool call, because a checkpoint could have been written before it; this warns, but the
 * agent is not called stuck while the tool runs. Every other hold stops the clock. An agent that was already called
 * stuck stays so when its next tool runs; otherwise one that calls the same tool every few seconds would alternate
 * between the two.
 */
export function checkpointAge(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  const isInferred = !hard.promises.checkpoints;
  if ((isInferred && hard.inferred?.checkpoints === undefined) || !hasWork(hard) || !hard.work) return null;
  if (hard.holds.some((hold) => hold.kind !== 'in-tool'))
    return atRest(draft, 'checkpoint-stale', hard.checkpoint?.mark.at);

  const written = hard.checkpoint?.mark;
  const since: Mark = written && written.at > hard.work.at ? written : hard.work;
  if (isInferred) return inferredCheckpointMissed(draft, since);
  if (!isPast(draft, deadlineAfter(draft, since, policy.checkpoint.warnMs, 'outsideToolMs'))) return null;
  const isOld = isPast(draft, deadlineAfter(draft, since, policy.checkpoint.actMs, 'outsideToolMs'));
  const moved = hard.progress && hard.progress.at > since.at ? hard.progress : since;
  const isInTool = hard.holds.length > 0;
  const isAct =
    (!isInTool || asBefore(draft, 'checkpoint-stale')?.severity === 'act') &&
    isOld &&
    isPast(draft, deadlineAfter(draft, moved, policy.checkpoint.actMs, 'outsideToolMs'));
  return finding({
    kind: 'checkpoint-stale',
    severity: isAct ? 'act' : 'warn',
    source: 'agent-reports',
    since: since.at,
    evidence: `no checkpoint for ${inWords(between(since.at, at))}${isAct ? ', and nothing else moved' : ''}`,
    threshold: `${inWords(policy.checkpoint.warnMs)} to warn, ${inWords(policy.checkpoint.actMs)} to act`,
  });
}

/** It has written a checkpoint once, and now gives no sign of life of any kind. This only warns. */
function inferredCheckpointMissed(draft: Draft, written: Mark): Finding | null {
  const { at, policy } = draft;
  const since = markOfSign(draft, written, lastSignOf(draft));
  if (!isPast(draft, deadlineAfter(draft, since, policy.checkpoint.actMs, 'outsideToolMs'))) return null;
  return finding({
    kind: 'checkpoint-stale',
    severity: 'warn',
    source: 'agent-reports',
    since: since.at,
    evidence: `no checkpoint and no sign of life for ${inWords(between(since.at, at))}`,
    threshold: `${inWords(policy.checkpoint.actMs)} to warn (inferred from its first checkpoint)`,
  });
}
