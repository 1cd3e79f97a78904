import { z } from 'zod';
import { effectiveSettings } from '../../config/index.ts';
import { defineRoute, type Route } from '../route.ts';
import { agentId, label } from '../schema/parts.ts';
import { configInForce } from '../schema/views.ts';
import type { ConfigView } from '../types.ts';
import type { HttpContext } from './context.ts';

const query = z.strictObject({
  role: label.optional().describe('As it holds for agents of this role.'),
  group: label.optional().describe('As it holds for agents of this group.'),
  agentId: agentId.optional().describe('As it holds for this agent.'),
});

export function configRoutes({ deps }: HttpContext): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/config',
      summary: 'The configuration that this server runs with, as it holds for a role, a group or an agent.',
      access: ['viewer', 'operator', 'orchestrator'],
      query,
      answers: {
        200: { description: 'Every setting, and where its value came from.', schema: configInForce },
      },
      handle: ({ query: { role = 'default', agentId: id = 'any-agent', group } }): ConfigView => {
        const config = deps.config();
        const who = { role, agentId: id, ...(group !== undefined && { group }) };
        return {
          files: [...config.files],
          settings: effectiveSettings(config, who).map((each) => ({ ...each })),
        };
      },
    }),
  ];
}
