import { type Agent, assertNever, type Instant, instant, later, openTask, type Signal } from '@holter/core';
import type { z } from 'zod';
import { HOLTER } from '../../intake/index.ts';
import { agentIdOf, checkMayDecide, readAgent } from '../access.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { listedTask, taskChange, taskPage, taskQuery } from '../schema/tasks.ts';
import { decided } from '../schema/views.ts';
import { type ListedTask, listedTasks } from '../task-view.ts';
import type { Caller } from '../tokens.ts';
import type { DecidedView, TaskPage } from '../types.ts';
import { type HttpContext, viewOf } from './context.ts';

const readers = ['viewer', 'operator', 'orchestrator', 'agent'] as const;
const TASKS_DEFAULT = 100;
const AGENTS_AT_ONCE = 200;
/** Agents that are looked at for one page; then the page may be short, or even empty. */
const AGENTS_MAX = 2_000;
/** Of the open tasks, in the message about one that is not open. */
const NAMED_MAX = 5;

/** Tasks are kept by whoever gives them out; Holter wants to know which ones an agent has, and how far they are. */
export function taskRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, store, intake, clock } = deps;
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/task',
      summary: 'Assign a task, tell of its progress, or say that it has ended.',
      access: ['operator', 'orchestrator'],
      example: {
        status: 'assigned',
        taskId: 'T-42',
        description: 'Draw the bounding boxes',
        expectedInSeconds: 5_400,
      },
      body: taskChange,
      answers: {
        200: { description: 'Noted; how the agent is now.', schema: decided },
        404: { description: 'unknown_agent, or unknown_task: it has no open task with this id.' },
        409: { description: 'too_many_tasks or agent_ended.' },
      },
      handle: async ({ params, caller, body, request }): Promise<DecidedView> => {
        const agent = await readAgent(engine, agentIdOf(params, caller));
        checkMayDecide(caller, agent);
        if (!isToldAgain(agent, body)) {
          // Not the agent's own word: it must not count as a sign of life.
          const taken = await intake.take(signalOf(body, agent), HOLTER, { correlationId: request.id });
          if (taken.kind === 'refused') throw new HttpProblem(refusalOfIntake(taken));
        }
        return { ok: true, agent: viewOf(deps, await readAgent(engine, agent.hard.agentId)) };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/tasks',
      summary: 'Tasks of all agents, by agent, a page at a time; an agent reads its own.',
      access: readers,
      query: taskQuery,
      answers: { 200: { description: 'A page.', schema: taskPage } },
      handle: ({ query, caller }): Promise<TaskPage> => listTasks(ownOnly(query, caller)),
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/tasks/:task',
      summary: 'One task of an agent, open or among those that ended last.',
      access: readers,
      answers: {
        200: { description: 'The task.', schema: listedTask },
        404: { description: 'unknown_agent or unknown_task.' },
      },
      handle: async ({ params, caller }): Promise<ListedTask> => {
        const agent = await readAgent(engine, agentIdOf(params, caller));
        const found = listedTasks(agent).find(({ taskId }) => taskId === params.task);
        if (!found) throw unknownTask(agent, params.task ?? '');
        return found;
      },
    }),
  ];

  async function listTasks(query: z.infer<typeof taskQuery>): Promise<TaskPage> {
    const { agentId, group, limit = TASKS_DEFAULT } = query;
    const wanted = (agent: Agent) => listedTasks(agent).filter((task) => isAskedFor(task, query));
    if (agentId !== undefined) {
      const agent = await readAgent(engine, agentId);
      return {
        tasks: group === undefined || group === agent.hard.group ? wanted(agent) : [],
        nextCursor: null,
      };
    }
    const tasks: ListedTask[] = [];
    let cursor: string | null = query.cursor ?? '';
    for (let seen = 0; cursor !== null && tasks.length < limit && seen < AGENTS_MAX; seen += AGENTS_AT_ONCE) {
      const page: Awaited<ReturnType<typeof store.listAgents>> = await store.listAgents({
        limit: AGENTS_AT_ONCE,
        ...(group !== undefined && { group }),
        ...(cursor !== '' && { cursor }),
      });
      tasks.push(...page.items.flatMap((item) => wanted(item.agent)));
      cursor = page.nextCursor;
    }
    return { tasks, nextCursor: cursor };
  }

  function signalOf(body: z.infer<typeof taskChange>, { hard }: Agent): Signal {
    const { agentId, incarnation } = hard;
    const { taskId } = body;
    const about = { agentId, taskId, ...(incarnation > 0 && { incarnation }) };
    switch (body.status) {
      case 'assigned': {
        const { description } = body;
        const expectedAt = expectedAtOf(body);
        return {
          kind: 'task-assigned',
          ...about,
          ...(description !== undefined && { description }),
          ...(expectedAt !== undefined && { expectedAt }),
        };
      }
      case 'updated': {
        const { percent, note } = body;
        return {
          kind: 'task-updated',
          ...about,
          ...(percent !== undefined && { percent }),
          ...(note !== undefined && { note }),
        };
      }
      case 'done':
      case 'failed':
      case 'cancelled':
        return { kind: 'task-ended', ...about, outcome: body.status };
      default:
        return assertNever(body);
    }
  }

  function expectedAtOf({ expectedInSeconds, expectedAt }: Assignment): Instant | undefined {
    if (expectedInSeconds !== undefined && expectedAt !== undefined)
      throw problem(400, 'invalid', 'expectedAt or expectedInSeconds, not both', 'expectedAt');
    if (expectedAt !== undefined) return instant(Date.parse(expectedAt));
    if (expectedInSeconds !== undefined) return later(clock.now(), Math.round(expectedInSeconds * 1_000));
    return undefined;
  }
}

type Assignment = Extract<z.infer<typeof taskChange>, { status: 'assigned' }>;

/** An agent's token shows its own tasks only. */
function ownOnly(query: z.infer<typeof taskQuery>, caller: Caller): z.infer<typeof taskQuery> {
  if (caller.role !== 'agent') return query;
  return { ...query, agentId: agentIdOf({ id: query.agentId ?? caller.agentId ?? '' }, caller) };
}

function isAskedFor(
  task: ListedTask,
  { taskId, status = 'in_progress' }: z.infer<typeof taskQuery>,
): boolean {
  if (taskId !== undefined && taskId !== task.taskId) return false;
  return status === 'all' || (status === 'stalled' ? task.isStalled : status === task.status);
}

/** A change can be told only of an open task. The same end told twice is no mistake: a reply may have been lost. */
function isToldAgain(agent: Agent, { status, taskId }: z.infer<typeof taskChange>): boolean {
  if (status === 'assigned' || openTask(agent.hard, taskId)) return false;
  const ended = agent.hard.endedTasks?.find(({ id }) => id === taskId);
  if (ended?.outcome === status) return true;
  throw unknownTask(agent, taskId);
}

function unknownTask({ hard }: Agent, taskId: string): HttpProblem {
  const { agentId, task, otherTasks = [], endedTasks = [] } = hard;
  const ended = endedTasks.find(({ id }) => id === taskId);
  const open = [...(task ? [task.id] : []), ...otherTasks.map(({ id }) => id)];
  const some = open.slice(0, NAMED_MAX).join(', ');
  const more = open.length > NAMED_MAX ? `, and ${open.length - NAMED_MAX} more` : '';
  const none =
    open.length === 0
      ? `${agentId} has no open task`
      : `${agentId} has no open task ${taskId}; it has ${some}${more}`;
  const message = ended ? `task ${taskId} of ${agentId} has ended: ${ended.outcome}` : none;
  return problem(404, 'unknown_task', message);
}
