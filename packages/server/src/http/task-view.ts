import { type Agent, type EndedTask, openTasks, type Task } from '@holter/core';
import type { AgentView, TaskPage } from './types.ts';

type TaskOfAgent = NonNullable<AgentView['task']>;
export type ListedTask = TaskPage['tasks'][number];

export function taskView(task: Task): TaskOfAgent {
  return {
    taskId: task.id,
    description: task.description ?? null,
    assignedAt: task.assignedAt,
    begunAt: task.begunAt ?? null,
    updatedAt: task.updated.at,
    expectedAt: task.expectedAt ?? null,
    percent: task.percent ?? null,
    inquiredAt: task.inquiredAt ?? null,
  };
}

/** All tasks that are known of an agent: the current one, the other open ones, those that ended last. */
export function listedTasks({ hard }: Agent): readonly ListedTask[] {
  const { agentId, group } = hard;
  const open = openTasks(hard).map((task): ListedTask => {
    const isStalled = task.inquiredAt !== undefined && !hard.end;
    const isCurrent = task === hard.task;
    return {
      agentId,
      group,
      ...taskView(task),
      status: 'in_progress',
      isCurrent,
      isStalled,
      endedAt: null,
    };
  });
  const ended = (hard.endedTasks ?? []).map((task) => ({ agentId, group, ...endedView(task) })).reverse();
  return [...open, ...ended];
}

function endedView(task: EndedTask): Omit<ListedTask, 'agentId' | 'group'> {
  return {
    taskId: task.id,
    description: task.description ?? null,
    assignedAt: task.assignedAt,
    begunAt: null,
    updatedAt: task.updatedAt,
    expectedAt: task.expectedAt ?? null,
    percent: task.percent ?? null,
    inquiredAt: null,
    status: task.outcome,
    isCurrent: false,
    isStalled: false,
    endedAt: task.endedAt,
  };
}
