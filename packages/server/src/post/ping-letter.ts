import type { Instant } from '@holter/core';
import { type NewLetter, PING_ID_PREFIX } from '../store/letters.ts';
import { OWN_CLIENT_IDS } from './client-ids.ts';
import { letterTime } from './letter-times.ts';

/** Pings await a pong, by the rules about missed beats, and no other acknowledgement. */
export const isPingId = (letterId: string): boolean => letterId.startsWith(PING_ID_PREFIX);

/** The same on every server, so that a ping can be found again. */
export const pingId = (agentId: string, incarnation: number, sequence: number): string =>
  `${PING_ID_PREFIX}${sequence}-${incarnation}-${agentId}`;

/** Seed 001 §1.3. */
export function pingLetter(place: {
  readonly from: string;
  readonly to: string;
  readonly incarnation: number;
  readonly sequence: number;
  readonly at: Instant;
}): NewLetter {
  const { from, to, incarnation, sequence, at: sentAt } = place;
  const letterId = pingId(to, incarnation, sequence);
  const timestamp = letterTime(sentAt);
  return {
    letterId,
    from,
    to,
    clientId: `${OWN_CLIENT_IDS.ping}${letterId}`,
    subject: '[HEARTBEAT] Health check',
    priority: 'low',
    inReplyTo: null,
    passed: [],
    isVerified: true,
    sentAt,
    content: JSON.stringify({
      type: 'heartbeat',
      message: 'ping',
      timestamp,
      sequence,
      hint: 'Answer with a letter of the type heartbeat-response and this sequence. Before long work, answer with the status busy.',
    }),
  };
}
