import type { Agent, Instant, Policy, StallLog } from '@holter/core';
import type { z } from 'zod';
import { knownPresenceOf, lastHeardOf, type PostOffice } from '../post/index.ts';
import type { StoredLetter } from '../store/letters.ts';
import type * as schema from './schema/mail.ts';

const PREVIEW_LENGTH = 100;

/** As seed 001 writes times, and as jq reads them. */
const timestampOf = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
const maybeTimestamp = (at: Instant | null): string | null => (at === null ? null : timestampOf(at));

const contentOf = ({ content }: StoredLetter) =>
  JSON.parse(content) as { readonly type: string; readonly message: string };

function headOf(letter: StoredLetter) {
  const { letterId, from, isVerified, to, sentAt, subject, priority, inReplyTo, passed } = letter;
  const forwardedBy = passed.at(-1);
  return {
    id: letterId,
    from,
    fromVerified: isVerified,
    to,
    timestamp: timestampOf(sentAt),
    subject,
    priority,
    status: statusOf(letter),
    ...(inReplyTo !== null && { inReplyTo }),
    ...(forwardedBy !== undefined && { forwardedBy }),
    deliveredAt: maybeTimestamp(letter.deliveredAt),
    readAt: maybeTimestamp(letter.readAt),
    acknowledgedAt: maybeTimestamp(letter.acknowledgedAt),
  };
}

const statusOf = ({ readAt, archivedAt }: StoredLetter): 'unread' | 'read' | 'archived' =>
  archivedAt !== null ? 'archived' : readAt !== null ? 'read' : 'unread';

export const letterView = (letter: StoredLetter): z.infer<typeof schema.letter> => ({
  ...headOf(letter),
  content: contentOf(letter),
});

export const sentView = ({
  letter,
  isNotified,
  notes,
}: Awaited<ReturnType<PostOffice['send']>>): z.infer<typeof schema.sent> => ({
  message: letterView(letter),
  id: letter.letterId,
  notified: isNotified,
  ...(notes.length > 0 && { notes: [...notes] }),
});

export function summaryView(letter: StoredLetter): z.infer<typeof schema.summary> {
  const { type, message } = contentOf(letter);
  return { ...headOf(letter), type, preview: message.slice(0, PREVIEW_LENGTH) };
}

/** Of a session that reports by hooks, the machine is in the name of its user: `dev@laptop`. */
const hostOf = ({ host, reporter }: Agent['hard']): string =>
  host ?? reporter?.user?.split('@').at(1) ?? 'unknown';

export function mailAgentView(
  agent: Agent,
  {
    now,
    unread,
    ...judged
  }: {
    readonly now: Instant;
    readonly unread: number;
    readonly policy: Policy;
    readonly stalls: StallLog;
  },
): z.infer<typeof schema.mailAgent> {
  const { agentId, startedAt, registeredAt = startedAt, end, unknownSince } = agent.hard;
  const status = knownPresenceOf(agent, now, judged);
  const offlineSince = end?.at ?? unknownSince;
  return {
    session_name: agentId,
    status,
    last_seen: maybeTimestamp(lastHeardOf(agent)),
    registered_at: timestampOf(registeredAt),
    host: hostOf(agent.hard),
    ...(status === 'offline' && offlineSince !== undefined && { offline_since: timestampOf(offlineSince) }),
    unread_messages: unread,
  };
}
