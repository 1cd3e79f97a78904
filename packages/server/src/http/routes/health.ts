import { defineRoute, type Route } from '../route.ts';
import { health, ready } from '../schema/views.ts';
import type { HealthView, ReadyView } from '../types.ts';
import type { HttpContext } from './context.ts';

/** Holter's own pulse. Open: whoever watches the watcher should need nothing. */
export function healthRoutes({ deps, metrics, places }: HttpContext): readonly Route[] {
  const { engine, alerts, clock, version, startedAt } = deps;
  return [
    defineRoute({
      method: 'GET',
      url: '/health',
      summary: 'How Holter itself is.',
      access: 'open',
      hasHead: true,
      answers: {
        200: { description: 'Well, or with troubles.', schema: health },
        503: { description: 'The store is unavailable.', schema: health },
      },
      handle: ({ reply }): HealthView => {
        const at = clock.now();
        const own = engine.health;
        const { troubles } = alerts;
        const isDown = own.store === 'unavailable';
        reply.code(isDown ? 503 : 200);
        return {
          status: isDown ? 'unavailable' : troubles.length > 0 ? 'degraded' : 'ok',
          version,
          startedAt,
          at,
          ...own,
          lateServers: [...own.lateServers],
          brakes: [...own.brakes],
          troubles: [...troubles],
          streams: places.size,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/ready',
      summary: 'Whether it can be given signals.',
      access: 'open',
      hasHead: true,
      answers: {
        200: { description: 'Yes.', schema: ready },
        503: { description: 'Not yet, not now, or draining: it is about to stop.', schema: ready },
      },
      handle: ({ reply }): ReadyView => {
        const { lastTickAt, store } = engine.health;
        const why = deps.isDraining?.()
          ? 'draining'
          : lastTickAt === null
            ? 'the engine has not ticked yet'
            : store === 'ok'
              ? null
              : 'no store';
        reply.code(why === null ? 200 : 503);
        return { ready: why === null, why };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/metrics',
      summary: 'For Prometheus.',
      access: ['viewer', 'operator', 'orchestrator'],
      answers: { 200: { description: 'Prometheus text.', type: 'text/plain' } },
      handle: async ({ reply }): Promise<string> => {
        reply.header('content-type', metrics.contentType);
        return metrics.text();
      },
    }),
  ];
}
