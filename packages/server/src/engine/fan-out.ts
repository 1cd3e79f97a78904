import { type Effect, type NoticeBody, wantedIdOf } from '@holter/core';

/** Names of the channels that carry a notice. */
export type ChannelsFor = (notice: NoticeBody) => readonly string[];

/**
 * What is stored in place of what was wanted: a notice once for each of its channels, everything else as it is.
 * The copies are part of the transaction that wanted the notice, so that none of them can get lost.
 */
export function withCopies(
  effects: readonly Effect[],
  channelsFor: ChannelsFor | undefined,
): readonly Effect[] {
  if (!channelsFor || effects.length === 0) return effects;
  return effects.flatMap((effect) => copiesOf(effect, channelsFor));
}

function copiesOf(effect: Effect, channelsFor: ChannelsFor): readonly Effect[] {
  if (effect.kind !== 'notify') return [effect];
  return channelsFor(effect).map((channel) => ({
    ...effect,
    id: `${effect.id}/to/${channel}`,
    via: { channel, noticeId: effect.id },
  }));
}

/** One of the copies of each notice, and everything else: what was wanted, counted once. */
export const firstCopies = (effects: readonly Effect[]): readonly Effect[] => [
  ...new Map(effects.map((effect) => [wantedIdOf(effect), effect])).values(),
];
