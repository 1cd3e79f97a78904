import type { Agent } from '@holter/core';
import type { NewLetter } from '../store/letters.ts';
import { OWN_CLIENT_IDS } from './client-ids.ts';

type Said = Pick<NewLetter, 'from' | 'to' | 'subject' | 'priority' | 'inReplyTo'> & {
  readonly content: object;
};

/** A client id for a letter without one: the same letter to an agent that is still offline is stored once. */
export function onceWhileOffline(
  { from, to, subject, priority, inReplyTo, content }: Said,
  { hard }: Agent,
  sha256: (text: string) => string,
): string {
  const since = hard.end?.at ?? hard.unknownSince ?? 0;
  const all = JSON.stringify([hard.incarnation, since, from, to, subject, priority, inReplyTo, content]);
  return `${OWN_CLIENT_IDS.offline}${sha256(all)}`;
}

/** Whether the letter that has taken a client id is this one, sent again. */
export const isSame = (a: NewLetter, b: NewLetter): boolean =>
  a.to === b.to && a.subject === b.subject && a.content === b.content && a.priority === b.priority;
