import {
  type Agent,
  type Instant,
  isSilenceJudged,
  missesAt,
  type Policy,
  presenceOf,
  type StallLog,
} from '@holter/core';

type Presence = 'online' | 'idle' | 'busy' | 'offline' | 'unknown';

/** An agent that was heard within this time is online, whether it has work or not. */
const RECENT_MS = 120_000;

/** When the agent itself was last heard; null when it never was. */
export const lastHeardOf = ({ soft }: Agent): Instant | null =>
  (Math.max(soft.beatAt, soft.pongAt, soft.activityAt) || null) as Instant | null;

/**
 * Seed 001 §1.6.2. Silence alone is not `offline`: an agent that was never heard, or not in its time, is `unknown`,
 * because nothing is known about its connection.
 */
export function mailPresenceOf(agent: Agent, at: Instant): Presence {
  const { hard } = agent;
  const presence = presenceOf(hard, at, hard.work !== undefined);
  if (presence === 'offline') return presence;
  const heardAt = lastHeardOf(agent);
  if (heardAt === null || hard.unknownSince !== undefined) return 'unknown';
  return presence === 'idle' && at - heardAt < RECENT_MS ? 'online' : presence;
}

/**
 * As `mailPresenceOf`, but nothing is known from the first missed beat or pong on. Where silence is not judged, only an
 * agent that was heard or seen lately is known to be idle.
 */
export function knownPresenceOf(
  agent: Agent,
  at: Instant,
  { policy, stalls }: { readonly policy: Policy; readonly stalls: StallLog },
): Presence {
  const { soft, hard } = agent;
  const presence = mailPresenceOf(agent, at);
  const isHeld = hard.holds.length > 0;
  const isJudged = isSilenceJudged(hard, policy);
  if (presence !== 'offline' && isJudged && !isHeld && missesAt(agent, at, policy, stalls).count > 0)
    return 'unknown';
  const isKnown = isJudged || isHeld || at - soft.probedAt < RECENT_MS;
  return presence === 'idle' && !isKnown ? 'unknown' : presence;
}
