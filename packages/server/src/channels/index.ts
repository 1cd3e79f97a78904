import { cliChannel } from './cli/channel.ts';
import { pageChannel } from './page/channel.ts';
import type { Channel } from './shared/channel.ts';

export type { Channel } from './shared/channel.ts';
export { connectChannels } from './shared/connect-channels.ts';
export type { Reader, UnreadNotices } from './shared/unread-notices.ts';

/** All channels. To add one: a folder beside these, an entry here, and fixtures for the contract suite. */
export const CHANNELS: readonly Channel[] = [pageChannel, cliChannel];
