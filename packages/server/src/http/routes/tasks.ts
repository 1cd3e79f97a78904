import { type Agent, assertNever, later, type Signal } from '@holter/core';
import type { z } from 'zod';
import { HOLTER } from '../../intake/index.ts';
import { agentIdOf, checkMayDecide, readAgent } from '../access.ts';
import { HttpProblem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { task } from '../schema/requests.ts';
import { decided } from '../schema/views.ts';
import type { DecidedView } from '../types.ts';
import { type HttpContext, viewOf } from './context.ts';

/** Tasks are kept by whoever gives them out; Holter only wants to know which one an agent has. */
export function taskRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, intake, clock } = deps;
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/task',
      summary: 'Assign a task, tell of its progress, or say that it has ended.',
      access: ['operator', 'orchestrator'],
      example: { status: 'assigned', taskId: 'T-42', expectedInSeconds: 5_400 },
      body: task,
      answers: { 200: { description: 'Noted; how the agent is now.', schema: decided } },
      handle: async ({ params, caller, body, request }): Promise<DecidedView> => {
        const agent = await readAgent(engine, agentIdOf(params, caller));
        checkMayDecide(caller, agent);
        // Not the agent's own word: it must not count as a sign of life.
        const taken = await intake.take(signalOf(body, agent), HOLTER, { correlationId: request.id });
        if (taken.kind === 'refused') throw new HttpProblem(refusalOfIntake(taken));
        return { ok: true, agent: viewOf(deps, await readAgent(engine, agent.hard.agentId)) };
      },
    }),
  ];

  function signalOf(body: z.infer<typeof task>, { hard }: Agent): Signal {
    const { agentId, incarnation } = hard;
    const { taskId } = body;
    const about = { agentId, taskId, ...(incarnation > 0 && { incarnation }) };
    switch (body.status) {
      case 'assigned': {
        const { expectedInSeconds } = body;
        const expectedAt = expectedInSeconds && later(clock.now(), Math.round(expectedInSeconds * 1_000));
        return { kind: 'task-assigned', ...about, ...(expectedAt && { expectedAt }) };
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
}
