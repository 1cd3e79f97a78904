import type { Channel } from '../shared/channel.ts';

/** The command line, and any other API client with a token. */
export const cliChannel: Channel = {
  name: 'cli',
  isPull: true,
  deliver: async () => ({ kind: 'waits', detail: 'nobody has asked for it on the command line yet' }),
};
