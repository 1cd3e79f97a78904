import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { endFailureRow } from './failures.ts';
import { clearPoint } from './point.ts';

/** Records activity: a call, a turn, text, tokens. Activity is not necessarily progress. */
export function noteActivity(draft: Draft): void {
  const { hard, at } = draft;
  hard.doing = markNow(draft);
  forget(hard, 'isHoldLapsed');
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
