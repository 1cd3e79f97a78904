import type { DurationMs } from '@holter/core';
import { CHANNEL_KINDS, type ChannelConfig, ChannelReader, type Secrets } from '../channels/index.ts';
import type { PolicyProblem, PolicySet, WrittenChannel } from '../policy/index.ts';

/** An address outside that expects to hear from this server, and tells somebody when it does not. */
export type DeadManConfig = { readonly url: string; readonly everyMs: DurationMs };

const PER_MINUTE = 10;

/** Looks up the secrets, and checks what is needed and where it is sent: all problems at once. */
export function resolveChannels(
  written: ReadonlyMap<string, WrittenChannel>,
  secrets: Secrets,
): { readonly channels: readonly ChannelConfig[]; readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const channels = [...written].flatMap(([name, channel]) => {
    const reader = new ChannelReader(`channels.${name}`, channel, secrets);
    const { type } = channel;
    const settings = CHANNEL_KINDS[type].read(reader);
    problems.push(...reader.problems);
    if (reader.problems.length > 0) return [];
    const perMinute = reader.number('per_minute') ?? PER_MINUTE;
    return [{ name, type, perMinute, ...settings } as ChannelConfig];
  });
  return { channels, problems };
}

/** Where the outside ping goes; null when nobody is named. */
export function resolveDeadMan(
  { deadManPing: { written, everyMs } }: PolicySet['operations'],
  secrets: Secrets,
): { readonly deadMan: DeadManConfig | null; readonly problems: readonly PolicyProblem[] } {
  const values = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null));
  if (Object.keys(values).length === 0) return { deadMan: null, problems: [] };
  const reader = new ChannelReader('dead_man_ping', { values }, secrets);
  const url = reader.url();
  return { deadMan: reader.problems.length === 0 ? { url, everyMs } : null, problems: reader.problems };
}
