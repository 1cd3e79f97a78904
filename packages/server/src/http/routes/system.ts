import type { HttpContext } from '../context.ts';
import { defineRoute, type Route } from '../route.ts';
import { system } from '../schema/page-views.ts';
import type { SystemView } from '../types.ts';

/** Beyond this the number itself is the message. */
const COUNTED_MAX = 500;

/** Holter's own organs, beyond what `/health` tells everybody. */
export function systemRoutes({ deps }: HttpContext): readonly Route[] {
  const { store } = deps;
  const waiting = async (status: 'pending' | 'claimed' | 'dead'): Promise<number> =>
    (await store.listEffects({ status, limit: COUNTED_MAX })).length;
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/system',
      summary: 'What waits in the outbox, and what this process uses.',
      access: ['viewer', 'operator', 'orchestrator'],
      answers: { 200: { description: 'Now.', schema: system } },
      handle: async (): Promise<SystemView> => {
        const [pending, claimed, dead] = [
          await waiting('pending'),
          await waiting('claimed'),
          await waiting('dead'),
        ];
        const { user, system: kernel } = process.cpuUsage();
        return {
          outbox: { pending, claimed, dead },
          memoryBytes: process.memoryUsage.rss(),
          cpuSeconds: (user + kernel) / 1e6,
          events: await store.lastCursor(),
        };
      },
    }),
  ];
}
