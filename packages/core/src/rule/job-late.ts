import { between, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { graceMaxOf } from '../record/liveness.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { absenceDeadline } from '../vocabulary/stall.ts';
import { atRest, finding, isPast } from './rule.ts';

/**
 * A scheduled job that was not heard in time, by the rules of healthchecks.io: a run is due one period after the
 * end of the last one, and late one grace time after that. A run that has begun must end within the grace time.
 *
 * The first run is due one period after the job was made known, so that a schedule which never worked is noticed.
 */
export function jobLate(draft: Draft): Finding | null {
  const { hard, at, policy, stalls } = draft;
  const { job } = hard.promises;
  if (!job || hard.end) return null;
  const lastEnd = hard.job?.endedAt ?? hard.startedAt;
  if (hard.holds.length > 0) return atRest(draft, 'job-late', hard.job?.endedAt);

  const begunAt = hard.turnSince;
  const threshold = `every ${inWords(job.everyMs)}, ${inWords(job.graceMs)} of grace`;
  const common = { kind: 'job-late', source: 'agent-reports', threshold } as const;
  const isPastAfter = (since: typeof at, wait: number): boolean =>
    isPast(draft, absenceDeadline(since, wait, stalls, graceMaxOf(hard, policy)));
  if (begunAt !== undefined && isPastAfter(begunAt, job.graceMs))
    return finding({
      ...common,
      severity: 'act',
      since: begunAt,
      evidence: `its run began ${inWords(between(begunAt, at))} ago and has not ended`,
    });
  if (!isPastAfter(lastEnd, job.everyMs)) return null;
  return finding({
    ...common,
    severity: isPastAfter(lastEnd, job.everyMs + job.graceMs) ? 'act' : 'warn',
    since: lastEnd,
    evidence: hard.job
      ? `no run has ended for ${inWords(between(lastEnd, at))}`
      : `no run has ended since it was made known, ${inWords(between(lastEnd, at))} ago`,
  });
}
