import type { AlertAction } from '@holter/core';
import { clip } from '../shared/alert-message.ts';
import type { Channel } from '../shared/channel.ts';
import type { ChannelKind } from '../shared/channel-kind.ts';
import { postJson } from '../shared/post.ts';

type Settings = {
  readonly name: string;
  readonly url: string;
  readonly routingKey: string;
  readonly perMinute: number;
};

const ACTIONS: Readonly<Record<AlertAction, 'trigger' | 'acknowledge' | 'resolve'>> = {
  trigger: 'trigger',
  repeat: 'trigger',
  acknowledge: 'acknowledge',
  resolve: 'resolve',
};

const DEDUP_LENGTH_MAX = 255;
const SUMMARY_LENGTH_MAX = 1_024;

/** PagerDuty Events v2. All notices of one alert share a `dedup_key`, so that they are one incident there. */
export const pagerdutyChannel = ({ name, url, routingKey, perMinute }: Settings): Channel => ({
  name,
  perMinute,
  takesAcknowledgements: true,
  deliver: ({ key, alert }, context) => {
    const { alertId, action, title, lines, topic, group, link, severity, agents } = alert;
    const head = {
      routing_key: routingKey,
      event_action: ACTIONS[action],
      dedup_key: `holter/${alertId}`.slice(0, DEDUP_LENGTH_MAX),
    };
    const body = {
      ...head,
      client: 'Holter',
      ...(link !== null && { client_url: link, links: [{ href: link, text: 'Show it in Holter' }] }),
      payload: {
        summary: clip([title, ...lines].join('. '), SUMMARY_LENGTH_MAX),
        source: agents[0] ?? 'holter',
        severity,
        class: topic,
        ...(group !== null && { group }),
        custom_details: { key, agents, lines },
      },
    };
    return postJson(url, { body: ACTIONS[action] === 'trigger' ? body : head }, context);
  },
});

const URL_DEFAULT = 'https://events.pagerduty.com/v2/enqueue';

export const pagerduty: ChannelKind<Settings> = {
  read: (reader) => ({ url: reader.url(URL_DEFAULT), routingKey: reader.neededSecret('routing_key') }),
  build: pagerdutyChannel,
};
