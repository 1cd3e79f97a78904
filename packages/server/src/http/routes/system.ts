import { defineRoute, type Route } from '../route.ts';
import { system } from '../schema/page-views.ts';
import type { SystemView } from '../types.ts';
import type { HttpContext } from './context.ts';

/** Beyond this the number itself is the message. */
const COUNTED_MAX = 500;
const SKEWS_SHOWN = 20;

/** Holter's own organs, beyond what `/health` tells everybody. */
export function systemRoutes({ deps, hits }: HttpContext): readonly Route[] {
  const { engine, intake, store, alerts } = deps;
  const waiting = async (status: 'pending' | 'claimed' | 'dead'): Promise<number> =>
    (await store.listEffects({ status, limit: COUNTED_MAX })).length;
  const postView = (): SystemView['post'] => {
    const { maestroUrl = null, ecos = null } = deps.reach?.() ?? {};
    return {
      name: deps.office.name,
      maestroUrl,
      ecos: ecos && { folder: ecos.folder, trouble: ecos.trouble() },
    };
  };
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/system',
      summary: 'Monitoring gaps, engaged brakes, what waits in the outbox, and what this process uses.',
      access: ['viewer', 'operator', 'orchestrator'],
      answers: { 200: { description: 'Now.', schema: system } },
      handle: async (): Promise<SystemView> => {
        const [pending, claimed, dead] = [
          await waiting('pending'),
          await waiting('claimed'),
          await waiting('dead'),
        ];
        const [oldest] = await store.readEvents({ after: 0, limit: 1 });
        const { retentionMs: kept } = engine.currentPolicies.operations;
        const { user, system: kernel } = process.cpuUsage();
        return {
          at: deps.clock.now(),
          stalls: [...engine.stalls].reverse(),
          brakes: [...engine.brakes],
          retention: { keptMs: kept.events, kept, oldestEventAt: oldest?.event.at ?? null },
          outbox: { pending, claimed, dead },
          deadManPing: alerts.ping,
          post: postView(),
          clockSkews: intake.clockSkews.beyondMax().slice(0, SKEWS_SHOWN),
          limitHits: hits.list(),
          memoryBytes: process.memoryUsage.rss(),
          cpuSeconds: (user + kernel) / 1e6,
          events: await store.lastCursor(),
        };
      },
    }),
  ];
}
