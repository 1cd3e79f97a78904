import type { Instant } from '../base/time.ts';
import type { EndedTask, Task, TaskOutcome } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, markNow } from '../record/draft.ts';
import { openTask, openTasks, replaceTask, staysOpen, TASKS_MAX } from '../record/tasks.ts';
import type { Source } from '../vocabulary/authority.ts';
import { noteActivity, noteProgress } from './doing.ts';
import { raiseUnrecoverable } from './failures.ts';
import { endHold } from './holds.ts';
import { infer } from './infer.ts';
import { clearPoint } from './point.ts';

const ENDED_MAX = 8;

type Assignment = {
  readonly taskId: string;
  readonly expectedAt?: Instant;
  readonly description?: string;
};

/** A further task leaves the others open. Assigned again, an open one gets another description or expected end. */
export function assignTask(
  draft: Draft,
  { taskId, expectedAt, description }: Assignment,
  origin: Source,
): void {
  const { hard, at } = draft;
  infer(draft, 'tasks');
  clearPoint(draft, 'foreign-task');
  const isOwn = origin === 'agent';
  const said = {
    ...(expectedAt !== undefined && { expectedAt }),
    ...(description !== undefined && { description }),
  };
  const known = openTask(hard, taskId);
  if (known) {
    if (isOwn) makeCurrent(draft, taskId);
    // An agent's own word does not move an end that somebody else expects.
    if (isOwn && !known.isOwn && !known.isInferred) return;
    const { isInferred: _named, isOwn: _own, ...rest } = known;
    replaceTask(draft, { ...rest, ...said, ...(isOwn && { isOwn }) });
    return;
  }
  setAside(draft);
  hard.task = { id: taskId, assignedAt: at, updated: markNow(draft), ...said, ...(isOwn && { isOwn }) };
  beginAnother(draft);
  tell(draft, taskId, 'assigned');
}

/** Its beats name a task that nobody has assigned, or another of its open ones: it is at work on it. */
export function nameTask(draft: Draft, taskId: string): void {
  const { hard, at } = draft;
  if (openTask(hard, taskId)) return makeCurrent(draft, taskId);
  infer(draft, 'tasks');
  hard.task = { id: taskId, assignedAt: at, updated: markNow(draft), begunAt: at, isInferred: true };
  tell(draft, taskId, 'assigned');
}

type Update = {
  readonly taskId: string;
  readonly percent?: number;
  readonly note?: string;
  readonly cannotContinue?: boolean;
};

export function updateTask(draft: Draft, { taskId, percent, note, cannotContinue }: Update): void {
  const { hard, at } = draft;
  makeCurrent(draft, taskId);
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
  tell(draft, taskId, cannotContinue ? 'cannot-continue' : 'updated', percent);
  if (cannotContinue) raiseUnrecoverable(draft, ` with its task ${taskId}: ${note ?? 'it gives no reason'}`);
}

/** An explanation of the delay (a blocker, a handoff request) counts as an update: seed 001 §1.5.2, point 3. */
export function explainTasks(draft: Draft): void {
  for (const { inquiredAt: _answered, ...rest } of openTasks(draft.hard))
    replaceTask(draft, { ...rest, updated: markNow(draft) });
}

export function endTask(draft: Draft, taskId: string, outcome: TaskOutcome): void {
  const { hard, at } = draft;
  const ended = openTask(hard, taskId);
  if (!ended) return;
  if (hard.task?.id === taskId) forget(hard, 'task');
  else removeOther(draft, taskId);
  if (!hard.task) takeNext(draft);
  hard.endedTaskId = taskId;
  hard.endedTasks = [...(hard.endedTasks ?? []), endedOf(ended, outcome, at)].slice(-ENDED_MAX);
  clearPoint(draft, 'foreign-task');
  // Doing a task twice is worse than not restarting, so an agent whose tasks are done is not brought back.
  if ((hard.end?.how === 'crash' || hard.end?.byHolter) && openTasks(hard).length === 0)
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

/** The current task makes room for another. If there are too many, the oldest goes that the agent has named itself. */
function setAside({ hard }: Draft): void {
  if (!hard.task || !staysOpen(hard.task)) return;
  const others = [...(hard.otherTasks ?? []), hard.task];
  const oldest = others.find(({ isOwn }) => isOwn);
  hard.otherTasks = others.length < TASKS_MAX ? others : others.filter((task) => task !== oldest);
}

function removeOther({ hard }: Draft, taskId: string): void {
  const others = (hard.otherTasks ?? []).filter(({ id }) => id !== taskId);
  if (others.length > 0) hard.otherTasks = others;
  else forget(hard, 'otherTasks');
}

function makeCurrent(draft: Draft, taskId: string): void {
  const { hard } = draft;
  const task = hard.otherTasks?.find(({ id }) => id === taskId);
  if (!task) return;
  removeOther(draft, taskId);
  setAside(draft);
  hard.task = task;
}

/**
 * When the current task ends, the agent goes back to the one that it worked on before, if somebody keeps its tasks.
 * One that it has named itself may be over without a word, and would make an idle agent look silent.
 */
function takeNext(draft: Draft): void {
  const { hard } = draft;
  const next = [...(hard.otherTasks ?? [])].reverse().find(({ isOwn }) => !isOwn);
  if (!next) return;
  makeCurrent(draft, next.id);
  beginAnother(draft);
}

/** Earlier activity and progress belonged to another task. */
function beginAnother({ hard }: Draft): void {
  forget(hard, 'doing');
  forget(hard, 'progress');
  forget(hard, 'work');
}

function endedOf(task: Task, outcome: TaskOutcome, endedAt: Instant): EndedTask {
  const { id, description, assignedAt, expectedAt, percent, updated } = task;
  return {
    id,
    assignedAt,
    updatedAt: updated.at,
    ...(description !== undefined && { description }),
    ...(expectedAt !== undefined && { expectedAt }),
    ...(percent !== undefined && { percent }),
    outcome,
    endedAt,
  };
}

function tell(draft: Draft, taskId: string, status: string, percent?: number): void {
  const { agentId } = draft.hard;
  emit(draft, {
    type: 'TASK_CHANGED',
    payload: { agentId, taskId, status, ...(percent !== undefined && { percent }) },
  });
}
