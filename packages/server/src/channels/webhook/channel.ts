import { createHmac } from 'node:crypto';
import type { Channel } from '../shared/channel.ts';
import type { ChannelKind } from '../shared/channel-kind.ts';
import { factsOf } from '../shared/facts.ts';
import { postJson } from '../shared/post.ts';

type Settings = {
  readonly name: string;
  readonly url: string;
  readonly secret: string | null;
  readonly perMinute: number;
};

/** Any program that takes JSON. With a secret it can check that a notice is Holter's, and how old it is. */
export const webhookChannel = ({ name, url, secret, perMinute }: Settings): Channel => ({
  name,
  perMinute,
  takesAcknowledgements: true,
  deliver: ({ key, alert }, context) => {
    const body = factsOf(key, alert);
    const timestamp = String(Math.floor(context.now / 1_000));
    const signed = secret === null ? {} : { 'x-holter-signature': signatureOf(secret, timestamp, body) };
    return postJson(
      url,
      { headers: { 'x-holter-key': key, 'x-holter-timestamp': timestamp, ...signed }, body },
      context,
    );
  },
});

const signatureOf = (secret: string, timestamp: string, body: unknown): string =>
  `sha256=${createHmac('sha256', secret)
    .update(`${timestamp}.${JSON.stringify(body)}`)
    .digest('hex')}`;

export const webhook: ChannelKind<Settings> = {
  read: (reader) => ({ url: reader.url(), secret: reader.secret('secret') }),
  build: webhookChannel,
};
