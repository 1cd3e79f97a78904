import { assertNever } from '@holter/core';
import type { ChannelConfig } from '../config/channels.ts';
import { commandChannel } from './command/channel.ts';
import { type Desktop, desktopChannel } from './desktop/channel.ts';
import { emailChannel } from './email/channel.ts';
import { ntfyChannel } from './ntfy/channel.ts';
import { pagerdutyChannel } from './pagerduty/channel.ts';
import type { Channel } from './shared/channel.ts';
import { slackChannel } from './slack/channel.ts';
import { webhookChannel } from './webhook/channel.ts';

/** A channel that the operator has defined. */
export function buildChannel(config: ChannelConfig, desktop: Desktop): Channel {
  switch (config.type) {
    case 'slack':
      return slackChannel(config);
    case 'pagerduty':
      return pagerdutyChannel(config);
    case 'webhook':
      return webhookChannel(config);
    case 'ntfy':
      return ntfyChannel(config);
    case 'email':
      return emailChannel(config);
    case 'desktop':
      return desktopChannel(config, desktop);
    case 'command':
      return commandChannel(config, desktop.env);
    default:
      return assertNever(config);
  }
}
