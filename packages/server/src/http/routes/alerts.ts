import { later, seconds } from '@holter/core';
import { type Alerts, FAILURES_TOLD } from '../../alerts/index.ts';
import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { alertPage, alertTest, alertTested, maintenanceWindow, newWindow } from '../schema/alerts.ts';
import type { AlertPage, AlertTestedView, MaintenanceWindowView } from '../types.ts';
import type { HttpContext } from './context.ts';

const readers = ['viewer', 'operator', 'orchestrator'] as const;

/** Who is told what, by which way, and when nobody is. Nothing here decides anything about an agent. */
export function alertRoutes({ deps }: HttpContext): readonly Route[] {
  const { alerts, clock, engine } = deps;
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/alerts',
      summary: 'Open alerts, channels with what became of the last notice, and maintenance windows.',
      access: readers,
      answers: { 200: { description: 'Now.', schema: alertPage } },
      handle: (): AlertPage => ({
        ...viewOf(alerts),
        windows: (alerts.state?.windows ?? []).filter(({ until }) => until > clock.now()),
        warnings: engine.currentPolicies.warnings.map(({ path, message }) => `${path} ${message}`),
      }),
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/alerts/test',
      summary: 'Send a test notice through one channel or all of them, now.',
      access: ['operator'],
      body: alertTest,
      answers: {
        200: { description: 'What became of it.', schema: alertTested },
        404: { description: 'unknown_channel' },
      },
      handle: async ({ body, caller }): Promise<AlertTestedView> => {
        const names = body.channel === undefined ? alerts.defined.map(({ name }) => name) : [body.channel];
        const results = names.map(async (channel) => {
          const delivery = await alerts.test(channel, caller.who);
          if (!delivery)
            throw problem(404, 'unknown_channel', 'no channel of this name is defined', 'channel');
          return { channel, isSent: delivery.kind === 'posted', detail: delivery.detail };
        });
        return { results: await Promise.all(results) };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/maintenance',
      summary:
        'Send no alerts about a group for a while; a second call replaces the first. Everything else goes on.',
      access: ['operator'],
      body: newWindow,
      answers: { 201: { description: 'It has begun.', schema: maintenanceWindow } },
      handle: async ({ body, caller, reply }): Promise<MaintenanceWindowView> => {
        const from = clock.now();
        const { group, reason, by = caller.who } = body;
        const until = later(from, seconds(body.seconds));
        const window = { group, from, until, by, reason };
        await alerts.addWindow(window);
        reply.code(201);
        return window;
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v1/maintenance/:group',
      summary: 'End a maintenance window, at once.',
      access: ['operator'],
      answers: { 204: { description: 'It is over.' }, 404: { description: 'unknown_window' } },
      handle: async ({ params, reply }) => {
        if (!(await alerts.removeWindow(params.group ?? '')))
          throw problem(404, 'unknown_window', 'this group is not in maintenance');
        return reply.code(204).send();
      },
    }),
  ];
}

function viewOf({ state, defined }: Alerts): Pick<AlertPage, 'alerts' | 'channels'> {
  const { alerts = {}, watches = {} } = state?.book ?? {};
  return {
    alerts: Object.values(alerts).map(({ id, keys, isAcknowledged, toldAt, notices, ...route }) => ({
      alertId: id,
      topic: route.topic,
      severity: route.severity,
      group: route.group,
      channels: [...route.channels],
      toldAt,
      notices,
      isAcknowledged: isAcknowledged ?? false,
      about: keys.flatMap((key) => {
        const watch = watches[key];
        if (!watch || watch.goneAt !== undefined) return [];
        const { agentId, summary, since } = watch.condition;
        return [{ agentId, summary, since }];
      }),
    })),
    channels: defined.map(({ name, type }) => {
      const { postedAt, failedAt, failure, failures } = state?.channels[name] ?? { failures: 0 };
      const isUsed = postedAt !== undefined || failedAt !== undefined;
      return {
        name,
        type,
        state: failures >= FAILURES_TOLD ? 'failing' : isUsed ? 'ok' : 'unused',
        lastPostedAt: postedAt ?? null,
        lastFailedAt: failedAt ?? null,
        lastFailure: failure ?? null,
      };
    }),
  };
}
