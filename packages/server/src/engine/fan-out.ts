import { type Effect, type NoticeBody, wantedIdOf } from '@holter/core';

/** Names of the channels that carry a notice. */
export type ChannelsFor = (notice: NoticeBody) => readonly string[];

/**
 * Replaces each notice with one copy per channel; other effects are unchanged. The copies are stored in the
 * transaction that ordered the notice, so none of them can be lost.
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

/** The effects with one copy of each notice, so that each order counts once. */
export const firstCopies = (effects: readonly Effect[]): readonly Effect[] => [
  ...new Map(effects.map((effect) => [wantedIdOf(effect), effect])).values(),
];
