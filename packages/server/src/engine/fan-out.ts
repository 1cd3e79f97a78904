import type { ClaimEvidence, Effect, InputBody, NoticeBody, ReceiptOutcome } from '@holter/core';

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

/** The id by which the agent's record knows it. */
export const wantedIdOf = (effect: Effect): string =>
  effect.kind === 'notify' ? (effect.via?.noticeId ?? effect.id) : effect.id;

/** One of the copies of each notice, and everything else: what was wanted, counted once. */
export const firstCopies = (effects: readonly Effect[]): readonly Effect[] => [
  ...new Map(effects.map((effect) => [wantedIdOf(effect), effect])).values(),
];

export const claimOf = (effect: Effect, evidence: ClaimEvidence): InputBody => ({
  kind: 'claim',
  effectId: wantedIdOf(effect),
  evidence,
});

export function receiptOf(effect: Effect, outcome: ReceiptOutcome, detail: string): InputBody {
  const channel = effect.kind === 'notify' ? effect.via?.channel : undefined;
  const effectId = wantedIdOf(effect);
  return { kind: 'receipt', effectId, outcome, detail, ...(channel !== undefined && { channel }) };
}
