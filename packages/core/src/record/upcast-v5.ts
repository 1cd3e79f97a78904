import type { Hard, PendingAck } from './agent.ts';

type Json = Readonly<Record<string, unknown>>;
type Finding = { readonly kind: string; readonly since: number };
type Caused = { readonly cause: string };
type AckOfV4 = Omit<PendingAck, 'isOverdue'> & { readonly isReminded?: true; readonly isOverdue?: true };

/**
 * Version 4 has no tickets, and its servers can't judge a finding of a kind that they do not know. `blocker` is of no
 * weight there either, and opens no incident of its own, so as a cause it is always a ticket.
 */
const TICKET = 'ticket';
const TICKET_IN_V4 = 'blocker';

export function agentOfV4(hard: Json): Json {
  const { acks, derived, incident, past } = hard as Json & {
    readonly acks?: readonly AckOfV4[];
    readonly derived?: readonly Finding[];
    readonly incident?: Caused;
    readonly past?: Caused;
  };
  const known = derived?.find(({ kind }) => kind === 'ack-overdue')?.since;
  return {
    ...hard,
    ...(acks && { acks: acks.map((ack) => ackOfV4(ack, known)) }),
    ...(incident && { incident: withCause(incident, TICKET_IN_V4, TICKET) }),
    ...(past && { past: withCause(past, TICKET_IN_V4, TICKET) }),
  };
}

/**
 * In version 4 only a reminder was noted; of the others, the one that the finding is about has been dealt with. The
 * last servers of version 4 wrote `isOverdue` already.
 */
function ackOfV4({ isReminded, ...ack }: AckOfV4, knownSince: number | undefined): PendingAck {
  const isKnown = isReminded || ack.isOverdue || ack.delivered.at === knownSince;
  return isKnown ? { ...ack, isOverdue: true } : ack;
}

/** The tickets stay: servers of version 4 do not read them, and the next act on one brings its finding back. */
export function agentForV4(hard: Json): Json {
  const { acks, points, incident, past } = hard as unknown as Hard;
  return {
    ...hard,
    ...(acks && { acks: acks.map((ack) => (ack.isOverdue ? { ...ack, isReminded: true } : ack)) }),
    points: points.filter(({ kind }) => kind !== TICKET),
    ...(incident && { incident: withCause(incident, TICKET, TICKET_IN_V4) }),
    ...(past && { past: withCause(past, TICKET, TICKET_IN_V4) }),
  };
}

const withCause = <T extends Caused>(told: T, from: string, to: string): T =>
  told.cause === from ? { ...told, cause: to } : told;
