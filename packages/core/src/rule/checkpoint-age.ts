import { between, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { hasWork } from '../record/work.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import { asBefore, atRest, deadlineAfter, finding, isPast } from './rule.ts';

/**
 * Seed 000 §1: a checkpoint younger than 10 minutes is fine, older than 30 is stuck, and in between the
 * agent shows warning signs. It is stuck only if nothing else moved either: many agents that work well
 * simply write few checkpoints. The clock runs on during a tool (a checkpoint could have been written
 * before), which warns but is not called stuck while the tool runs; every other hold stops the clock.
 * Who was called stuck already is not called less than that because the next tool runs: an agent that calls
 * the same tool every few seconds would be stuck and not stuck in turns.
 */
export function checkpointAge(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  if (!hard.promises.checkpoints || !hasWork(hard) || !hard.work) return null;
  if (hard.holds.some((hold) => hold.kind !== 'in-tool'))
    return atRest(draft, 'checkpoint-stale', hard.checkpoint?.mark.at);

  const written = hard.checkpoint?.mark;
  const since: Mark = written && written.at > hard.work.at ? written : hard.work;
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
