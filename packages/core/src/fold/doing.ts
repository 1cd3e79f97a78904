import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { endFailureRow } from './failures.ts';
import { clearPoint } from './point.ts';

/** The agent did something: a call, a turn, words, tokens. It need not have got anywhere. */
export function noteActivity(draft: Draft): void {
  const { hard, at } = draft;
  hard.doing = markNow(draft);
  forget(hard, 'isHoldLapsed');
  if (hard.task && hard.task.begunAt === undefined) hard.task = { ...hard.task, begunAt: at };
}

/** Evidence that it got somewhere. A row of failures is over with the first thing that worked. */
export function noteProgress(draft: Draft): void {
  draft.hard.progress = markNow(draft);
  endFailureRow(draft);
  // Whoever moves on is no longer blocked, and could go on after all.
  clearPoint(draft, 'blocker');
  clearPoint(draft, 'unrecoverable-error');
}
