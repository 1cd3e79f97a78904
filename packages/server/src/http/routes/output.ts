import { z } from 'zod';
import { agentIdOf, readAgent } from '../access.ts';
import { OutputBook } from '../output-book.ts';
import { defineRoute, type Route } from '../route.ts';
import { outputTail } from '../schema/page-views.ts';
import { wholeNumber } from '../schema/parts.ts';
import type { OutputTailView } from '../types.ts';
import type { HttpContext } from './context.ts';

const TEXT_MAX = 64_000;

/** What an agent printed, for people who look at it. */
export function outputRoutes({ deps: { engine, executors } }: HttpContext): readonly Route[] {
  const book = new OutputBook();
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/agents/:id/output',
      summary: 'Add to the output of an agent; whole lines, so that secrets in them are found.',
      access: ['agent', 'operator'],
      body: z.strictObject({ text: z.string().max(TEXT_MAX) }),
      answers: { 204: { description: 'Kept, without secrets.' }, 404: { description: 'unknown_agent' } },
      handle: async ({ params, caller, body, reply }) => {
        const { hard } = await readAgent(engine, agentIdOf(params, caller));
        if (caller.incarnation === null || caller.incarnation === hard.incarnation)
          book.append(hard.agentId, body.text);
        return reply.code(204).send();
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/logs',
      summary: 'The newest output of an agent, without secrets; ask again with `after` for what came since.',
      access: ['viewer', 'operator', 'orchestrator'],
      query: z.strictObject({
        after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
          .optional()
          .meta({ description: 'Only what came after this position: `next` of an earlier answer.' }),
      }),
      answers: {
        200: { description: 'The tail.', schema: outputTail },
        404: { description: 'unknown_agent' },
      },
      handle: async ({ params, caller, query }): Promise<OutputTailView> => {
        const { hard } = await readAgent(engine, agentIdOf(params, caller));
        const { agentId, executor } = hard;
        const tail = book.read(agentId, query.after ?? 0);
        const isUnknown = tail.next === 0 && executor !== null;
        const keptBy = isUnknown ? ((await executors?.elsewhere(executor)) ?? null) : null;
        return { agentId, ...tail, keptBy };
      },
    }),
  ];
}
