import type { ChannelType } from '../policy/index.ts';
import { command } from './command/channel.ts';
import { desktop } from './desktop/channel.ts';
import { email } from './email/channel.ts';
import { ntfy } from './ntfy/channel.ts';
import { pagerduty } from './pagerduty/channel.ts';
import type { Channel } from './shared/channel.ts';
import type { ChannelKind, Common, Host } from './shared/channel-kind.ts';
import { slack } from './slack/channel.ts';
import { webhook } from './webhook/channel.ts';

/** The types that operators can define; `policy/channel-fields.ts` has their keys. */
export const CHANNEL_KINDS = {
  slack,
  pagerduty,
  webhook,
  ntfy,
  email,
  desktop,
  command,
} satisfies Record<ChannelType, ChannelKind<Common>>;

/** A channel that is ready to be used, with its secrets. */
export type ChannelConfig = {
  [Type in ChannelType]: { readonly type: Type } & Parameters<(typeof CHANNEL_KINDS)[Type]['build']>[0];
}[ChannelType];

/** A channel that the operator has defined. */
export function buildChannel(config: ChannelConfig, host: Host): Channel {
  const { build }: ChannelKind<Common> = CHANNEL_KINDS[config.type];
  return build(config, host);
}
