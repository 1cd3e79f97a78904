import type { Hard, Task } from './agent.ts';
import type { Draft } from './draft.ts';

/** A bound, so that no agent can grow its record. */
export const TASKS_MAX = 32;

/** All open tasks, the current one first. */
export function openTasks({ task, otherTasks = [] }: Hard): readonly Task[] {
  return task ? [task, ...otherTasks] : otherTasks;
}

export const openTask = (hard: Hard, taskId: string): Task | undefined =>
  openTasks(hard).find(({ id }) => id === taskId);

/** Puts what is known about an open task in the place of what was known before. */
export function replaceTask({ hard }: Draft, task: Task): void {
  if (hard.task?.id === task.id) hard.task = task;
  else hard.otherTasks = (hard.otherTasks ?? []).map((each) => (each.id === task.id ? task : each));
}

/**
 * Whether a task stays open when the agent begins another. One that the agent itself has named, without an expected
 * end, could never be judged again: the next one takes its place.
 */
export const staysOpen = ({ isInferred, isOwn, expectedAt }: Task): boolean =>
  !isInferred && (!isOwn || expectedAt !== undefined);

/** Tasks that the agent has named itself take no place from those that it is given. */
export function hasRoomForTask(hard: Hard, taskId: string, isOwn: boolean): boolean {
  if (openTask(hard, taskId)) return true;
  const kept = openTasks(hard).filter((task) => staysOpen(task) && (isOwn || !task.isOwn));
  return kept.length < TASKS_MAX;
}

/** What was spent on a task goes with it when another becomes the current one, so that its budget stays used. */
export function carrySpent({ task, otherTasks, spent }: Hard): Pick<Hard, 'task' | 'otherTasks' | 'spent'> {
  const { task: booked, ...others } = spent ?? {};
  const { spent: before, ...current } = task ?? {};
  const isCurrent = booked !== undefined && booked.id === task?.id;
  const left = booked && !isCurrent ? { tokens: booked.tokens, costMicros: booked.costMicros } : undefined;
  const now = isCurrent ? booked : before && task && { id: task.id, ...before };
  return {
    ...(task && { task: current as Task }),
    ...(otherTasks && {
      otherTasks: left
        ? otherTasks.map((each) => (each.id === booked?.id ? { ...each, spent: left } : each))
        : otherTasks,
    }),
    ...((spent || now) && { spent: { ...others, ...(now && { task: now }) } }),
  };
}
