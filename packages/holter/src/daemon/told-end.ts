import { type EndOrder, instant, type LinkLook } from '@holter/core';
import { type Clock, type ProcessIdentity, startedAtOf } from '@holter/server/process';
import type { ChainMail } from '../town/chain-mail.ts';
import { knownProcess } from './server-link.ts';

/** What the server knows about the end of an agent. */
type ToldEnd =
  /** At a usage limit: it would only end there again before it resets. */
  | Pick<LinkLook, 'notBefore'>
  /** Somebody has ordered it. */
  | { readonly order: EndOrder }
  /** By itself, with success, or by a signal from outside. */
  | { readonly isMeant: true };

/** Null if it has crashed, or nobody can say. */
export type EndOf = (name: string, process: ProcessIdentity | null) => Promise<ToldEnd | null>;

export const noEnd: EndOf = async () => null;

export function endOfAgents(mail: ChainMail, clock: Clock, now: () => number): EndOf {
  // Said by the wall clock; the one of the daemon stands still while the machine sleeps.
  const here = (at: number) => instant(clock.now() + (at - now()));
  return async (name, process) => {
    const told = await mail.endOf(name);
    if (!told) return null;
    if (told.limitedUntil !== null) return { notBefore: here(told.limitedUntil) };
    const begunAt = process && startedAtOf(process, now());
    // A run that began after that start was registered is its successor, which has ended before it could register.
    if (begunAt === null || begunAt > told.startedAt) return null;
    if (told.order) return { order: { ...told.order, at: instant(told.order.at) } };
    return told.isMeant ? { isMeant: true } : null;
  };
}

/** What has ended on purpose, or at its usage limit, has not crashed. */
export async function withEnd(look: LinkLook, name: string, endOf: EndOf): Promise<LinkLook> {
  const told = look.state === 'gone' ? await endOf(name, knownProcess(look)) : null;
  if (told === null) return look;
  const { isMeant: _, ...more } = { isMeant: true, ...told };
  return { ...look, state: 'ended', ...more };
}
