import { between, inWords } from '../base/time.ts';
import type { Task } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { isSilenceJudged, lastSignOf, missesAt } from '../record/liveness.ts';
import { openTasks } from '../record/tasks.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isUnanswered } from './missed-beats.ts';
import { asBefore, deadlineAfter, finding, isPast } from './rule.ts';

/**
 * Seed 001 §1.5: stalled means no update for 30 minutes *and* past its expected end *and* no explanation. A stalled
 * task is not a failed agent: the agent is asked, and only if it does not answer and its beats stop as well does
 * anything follow. The expected end is wall-clock time; it does not move with stalls.
 */
export function taskOverdue(draft: Draft): Finding | null {
  const { hard, at, policy } = draft;
  if (hard.end) return null;
  if (hard.holds.length > 0) {
    // A finding about another task ends with that task.
    const isAsked = openTasks(hard).some(({ inquiredAt }) => inquiredAt !== undefined);
    return isAsked ? asBefore(draft, 'task-overdue') : null;
  }
  const stalled = stalledTasks(draft);
  const deaf = stalled.filter((task) => isDeaf(draft, task));
  const [worst] = deaf.length > 0 ? deaf : stalled;
  if (!worst) return null;
  const { id, expectedAt, updated } = worst;
  const more = stalled.length > 1 ? `, and ${stalled.length - 1} more` : '';
  return finding({
    kind: 'task-overdue',
    severity: deaf.length > 0 ? 'act' : 'warn',
    source: 'agent-reports',
    since: expectedAt,
    evidence: `its task ${id.slice(0, ID_LENGTH_SHOWN)} is ${inWords(between(expectedAt, at))} past its expected end, without an update for ${inWords(between(updated.at, at))}${more}`,
    threshold: `${inWords(policy.taskStallMs)} without an update after the expected end`,
  });
}

const ID_LENGTH_SHOWN = 60;

type Expected = Task & Required<Pick<Task, 'expectedAt'>>;

/** The one that is due longest comes first. */
export function stalledTasks(draft: Draft): readonly Expected[] {
  const { hard, policy } = draft;
  return openTasks(hard)
    .filter(isExpected)
    .filter(({ expectedAt }) => isPast(draft, expectedAt))
    .filter(({ updated }) => isPast(draft, deadlineAfter(draft, updated, policy.taskStallMs)))
    .sort((a, b) => a.expectedAt - b.expectedAt);
}

const isExpected = (task: Task): task is Expected => task.expectedAt !== undefined;

/**
 * Seed 001 §1.5.3: no answer, and the beats have stopped; a single miss proves nothing (§1.2). Where its silence is not
 * judged, it has given no sign of life of any kind for as long as the answer may take.
 */
function isDeaf(draft: Draft, { inquiredAt }: Task): boolean {
  const { hard, at, policy, stalls } = draft;
  if (!isUnanswered(draft, inquiredAt)) return false;
  if (!isSilenceJudged(hard, policy)) return isUnanswered(draft, lastSignOf(draft));
  return missesAt(draft, at, policy, stalls).count >= policy.beat.missedMax;
}
