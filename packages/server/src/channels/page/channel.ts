import type { Channel } from '../shared/channel.ts';

/** The dashboard: its incident view lists unread notices; showing one to a person who may decide settles it. */
export const pageChannel: Channel = {
  name: 'page',
  isPull: true,
  deliver: async () => ({ kind: 'waits', detail: 'nobody has read it on the page yet' }),
};
