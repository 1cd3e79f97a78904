import type { Instant, LinkLook } from '@holter/core';

/** When the usage limit of an agent resets at which it has ended, by the clock of the daemon; null if it has not. */
export type LimitOf = (name: string) => Promise<Instant | null>;

export const noLimit: LimitOf = async () => null;

/** A program that has ended at its usage limit has not crashed, and would only end there again before it resets. */
export async function withLimit(look: LinkLook, name: string, limitOf: LimitOf): Promise<LinkLook> {
  const until = look.state === 'gone' ? await limitOf(name) : null;
  return until === null ? look : { ...look, state: 'ended', notBefore: until };
}
