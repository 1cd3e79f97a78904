import { cliChannel } from './cli/channel.ts';
import { pageChannel } from './page/channel.ts';
import type { Channel } from './shared/channel.ts';

export { buildChannel, CHANNEL_KINDS, type ChannelConfig } from './registry.ts';
export type { Channel, Delivery } from './shared/channel.ts';
export {
  type AlertSide,
  type AlertVerdict,
  ChannelExecutor,
  type Notify,
} from './shared/channel-executor.ts';
export { ChannelReader, type Secrets } from './shared/channel-reader.ts';
export { connectChannels } from './shared/connect-channels.ts';
export type { Reader, UnreadNotices } from './shared/unread-notices.ts';

/** The channels that people come to. Those that send are defined by the operator; see `registry.ts`. */
export const CHANNELS: readonly Channel[] = [pageChannel, cliChannel];
