import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { endFailureRow } from './failures.ts';
import { clearPoint } from './point.ts';

/** Records activity: a call, a turn, text. Activity is not necessarily progress. */
export function noteActivity(draft: Draft): void {
  noteReportedActivity(draft);
  forget(draft.hard, 'isHoldLapsed');
}

/** A total, or the time of the last call: it may be from before a hold, so it does not show that a hold is over. */
export function noteReportedActivity(draft: Draft): void {
  const { hard, at } = draft;
  hard.doing = markNow(draft);
  forget(hard, 'stopAnnounced');
  if (hard.task && hard.task.begunAt === undefined) hard.task = { ...hard.task, begunAt: at };
}

/** Records evidence of progress, which also ends a row of failures. */
export function noteProgress(draft: Draft): void {
  draft.hard.progress = markNow(draft);
  endFailureRow(draft);
  // An agent that makes progress is no longer blocked, and its error was recoverable after all.
  clearPoint(draft, 'blocker');
  clearPoint(draft, 'unrecoverable-error');
}
