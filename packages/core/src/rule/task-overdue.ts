import { between, inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { missesAt } from '../record/liveness.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isUnanswered } from './missed-beats.ts';
import { asBefore, deadlineAfter, finding, isPast } from './rule.ts';

/**
 * Seed 001 §1.5: stalled means no update for 30 minutes *and* past its expected end *and* no explanation. A stalled
 * task is not a failed agent: the agent is asked, and only if it does not answer and its beats stop as well does
 * anything follow. The expected end is wall-clock time; it does not move with stalls.
 */
export function taskOverdue(draft: Draft): Finding | null {
  const { hard, at, policy, stalls } = draft;
  const { task } = hard;
  if (!task || task.expectedAt === undefined || hard.end) return null;
  // A finding about another task ends with that task.
  if (hard.holds.length > 0) return task.inquiredAt === undefined ? null : asBefore(draft, 'task-overdue');
  if (!isPast(draft, task.expectedAt)) return null;
  if (!isPast(draft, deadlineAfter(draft, task.updated, policy.taskStallMs))) return null;

  const isDeaf = isUnanswered(draft, task.inquiredAt) && missesAt(draft, at, policy, stalls).count > 0;
  return finding({
    kind: 'task-overdue',
    severity: isDeaf ? 'act' : 'warn',
    source: 'agent-reports',
    since: task.expectedAt,
    evidence: `its task is ${inWords(between(task.expectedAt, at))} past its expected end, without an update for ${inWords(between(task.updated.at, at))}`,
    threshold: `${inWords(policy.taskStallMs)} without an update after the expected end`,
  });
}
