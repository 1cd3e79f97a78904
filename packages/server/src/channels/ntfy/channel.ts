import { createHash } from 'node:crypto';
import { clip } from '../shared/alert-message.ts';
import type { Channel } from '../shared/channel.ts';
import type { ChannelKind } from '../shared/channel-kind.ts';
import { postJson } from '../shared/post.ts';

type Settings = {
  readonly name: string;
  readonly url: string;
  readonly topic: string;
  readonly token: string | null;
  readonly perMinute: number;
};

/** ntfy's scale is 1 to 5; 5 rings until somebody looks. */
const PRIORITIES = { info: 3, warning: 4, critical: 5 } as const;
const RESOLVED_PRIORITY = 2;
const TITLE_LENGTH_MAX = 250;
const MESSAGE_LENGTH_MAX = 3_500;

/** A topic of ntfy, published as JSON: header fields could not carry every text. */
export const ntfyChannel = ({ name, url, topic, token, perMinute }: Settings): Channel => ({
  name,
  perMinute,
  deliver: ({ key, alert }, context) => {
    const { title, lines, link, severity, action } = alert;
    const body = {
      topic,
      title: clip(title, TITLE_LENGTH_MAX),
      message: clip(lines.length === 0 ? title : lines.join('\n'), MESSAGE_LENGTH_MAX),
      priority: action === 'resolve' ? RESOLVED_PRIORITY : PRIORITIES[severity],
      tags: [
        action === 'resolve' ? 'white_check_mark' : severity === 'info' ? 'information_source' : 'warning',
      ],
      // A notice that is published again replaces itself.
      sequence_id: createHash('sha256').update(key).digest('hex').slice(0, 32),
      ...(link !== null && { click: link }),
    };
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    return postJson(url, { headers, body }, context);
  },
});

const URL_DEFAULT = 'https://ntfy.sh';

export const ntfy: ChannelKind<Settings> = {
  read: (reader) => {
    const topic = reader.neededSecret('topic');
    if (topic !== '' && !/^[A-Za-z0-9_-]{1,64}$/.test(topic))
      reader.complain('topic', 'must be 1 to 64 of A-Z a-z 0-9 _ -');
    return { url: reader.url(URL_DEFAULT), topic, token: reader.secret('token') };
  },
  build: ntfyChannel,
};
