import { TASKS_MAX } from '@holter/core';
import { z } from 'zod';
import { agentId, identifier, line, time, wholeNumber } from './parts.ts';

const maybeTime = time.nullable();
const secondsMax = 30 * 24 * 3_600;
const DESCRIPTION_LENGTH_MAX = 200;

/** What an agent's own view shows of a task. */
export const task = z.strictObject({
  taskId: z.string(),
  description: z.string().nullable(),
  assignedAt: time,
  begunAt: maybeTime,
  updatedAt: time.meta({ description: 'The last update or explanation; else when it was assigned.' }),
  expectedAt: maybeTime.meta({ description: 'When it should be done; without it a task never stalls.' }),
  percent: z.number().nullable(),
  inquiredAt: maybeTime.meta({ description: 'It is stalled, and the agent was asked about it then.' }),
});

export const taskStatus = z.enum(['in_progress', 'done', 'failed', 'cancelled']);

export const listedTask = z.strictObject({
  agentId: z.string(),
  group: z.string(),
  ...task.shape,
  status: taskStatus,
  isCurrent: z.boolean().meta({ description: 'The agent works on it now.' }),
  isStalled: z.boolean().meta({
    description: 'Past its expected end, and without an update or explanation for `rules.task_stall`.',
  }),
  endedAt: maybeTime,
});

export const taskPage = z.strictObject({
  tasks: z.array(listedTask),
  nextCursor: z.string().nullable(),
});

export const taskQuery = z.strictObject({
  agentId: agentId.optional().describe('Only tasks of this agent.'),
  group: agentId.optional().describe('Only tasks of agents of this group.'),
  taskId: identifier.optional().describe('Only tasks with this id.'),
  status: z
    .enum([...taskStatus.options, 'stalled', 'all'])
    .optional()
    .describe('Only tasks in this state; those that are in progress unless told.'),
  cursor: z.string().min(1).max(256).optional().describe('`nextCursor` of the page before.'),
  limit: wholeNumber(1, 500).optional().describe('About how many; the tasks of one agent stay together.'),
});

/** What is told about a task. */
export const taskChange = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('assigned').meta({ description: `At most ${TASKS_MAX} may be open.` }),
    taskId: identifier,
    description: line(DESCRIPTION_LENGTH_MAX).optional().meta({ description: 'What is to be done.' }),
    expectedInSeconds: z.number().positive().max(secondsMax).optional(),
    expectedAt: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'When it should be done, as an ISO time; instead of `expectedInSeconds`.' }),
  }),
  z.strictObject({
    status: z.literal('updated'),
    taskId: identifier,
    percent: z.number().min(0).max(100).optional(),
    note: z.string().max(4_000).optional(),
  }),
  z.strictObject({ status: z.enum(['done', 'failed', 'cancelled']), taskId: identifier }),
]);
