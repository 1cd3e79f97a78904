import type { Instant } from '../base/time.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, markNow } from '../record/draft.ts';
import { noteActivity, noteProgress } from './doing.ts';
import { endHold } from './holds.ts';
import { infer } from './infer.ts';
import { clearPoint } from './point.ts';

export function assignTask(draft: Draft, taskId: string, expectedAt?: Instant): void {
  const { hard, at } = draft;
  infer(draft, 'tasks');
  clearPoint(draft, 'foreign-task');
  const expected = expectedAt !== undefined && { expectedAt };
  if (hard.task?.id === taskId) {
    if (!hard.task.isInferred) return;
    const { isInferred: _named, ...known } = hard.task;
    hard.task = { ...known, ...expected };
    return;
  }
  hard.task = { id: taskId, assignedAt: at, updated: markNow(draft), ...expected };
  // Earlier activity and progress belonged to another task.
  forget(hard, 'doing');
  forget(hard, 'progress');
  forget(hard, 'work');
  tell(draft, taskId, 'assigned');
}

/** Its beats name a task that nobody has assigned: it is at work on it. */
export function nameTask(draft: Draft, taskId: string): void {
  const { hard, at } = draft;
  infer(draft, 'tasks');
  hard.task = { id: taskId, assignedAt: at, updated: markNow(draft), begunAt: at, isInferred: true };
  tell(draft, taskId, 'assigned');
}

export function updateTask(draft: Draft, taskId: string, percent?: number): void {
  const { hard, at } = draft;
  const { task } = hard;
  if (!task || task.id !== taskId) return;
  const isFurther = percent !== undefined && percent !== task.percent;
  const { inquiredAt: _answered, ...rest } = task;
  hard.task = {
    ...rest,
    begunAt: task.begunAt ?? at,
    updated: markNow(draft),
    ...(percent !== undefined && { percent }),
  };
  noteActivity(draft);
  if (isFurther) noteProgress(draft);
  tell(draft, taskId, 'updated', percent);
}

/** An explanation of the delay (a blocker, a handoff request) counts as an update: seed 001 §1.5.2, point 3. */
export function explainTask(draft: Draft): void {
  const { hard } = draft;
  if (!hard.task) return;
  const { inquiredAt: _answered, ...rest } = hard.task;
  hard.task = { ...rest, updated: markNow(draft) };
}

export function endTask(draft: Draft, taskId: string, outcome: string): void {
  const { hard } = draft;
  if (hard.task?.id !== taskId) return;
  forget(hard, 'task');
  hard.endedTaskId = taskId;
  clearPoint(draft, 'foreign-task');
  // Doing a task twice is worse than not restarting, so an agent whose task is done is not brought back.
  if (hard.end?.how === 'crash' || hard.end?.byHolter)
    hard.end = { how: 'stopped', at: hard.end.at, detail: `its task is ${outcome}` };
  tell(draft, taskId, outcome);
}

export function beginTurn(draft: Draft): void {
  const { hard, at } = draft;
  infer(draft, 'turns');
  hard.turnSince = at;
  endHold(draft, 'waiting-for-input');
  noteActivity(draft);
}

export function endTurn(draft: Draft): void {
  forget(draft.hard, 'turnSince');
  // A call that was refused or cut short never reports its end.
  endHold(draft, 'in-tool');
  noteActivity(draft);
}

function tell(draft: Draft, taskId: string, status: string, percent?: number): void {
  const { agentId } = draft.hard;
  emit(draft, {
    type: 'TASK_CHANGED',
    payload: { agentId, taskId, status, ...(percent !== undefined && { percent }) },
  });
}
