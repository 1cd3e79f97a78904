import type { Channel } from './channel.ts';
import type { ChannelReader } from './channel-reader.ts';

/** The machine that the server runs on. */
export type Host = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The terminal that the server was started in. */
  readonly terminal: string;
};

/** One type of channel that operators can define: from what they have written to a channel that sends. */
export type ChannelKind<Settings extends Common> = {
  read(reader: ChannelReader): Omit<Settings, keyof Common>;
  build(settings: Settings, host: Host): Channel;
};

export type Common = {
  readonly name: string;
  /** Most notices in a minute. */
  readonly perMinute: number;
};
