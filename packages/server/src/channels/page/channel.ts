import type { Channel } from '../shared/channel.ts';

/** The dashboard: its view of incidents shows what is unread, and showing it to somebody who may decide settles it. */
export const pageChannel: Channel = {
  name: 'page',
  isPull: true,
  deliver: async () => ({ kind: 'waits', detail: 'nobody has read it on the page yet' }),
};
