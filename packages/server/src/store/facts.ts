import type { Agent, Cancellation, Effect, EventOf, HolterEvent, Instant } from '@holter/core';
import { cancellation, instant } from '@holter/core';
import { type Commit, StoreUnavailable } from './store.ts';

/** What every store derives from a commit in the same way. */

/** Heartbeats are streamed and counted, but too numerous to store as rows. */
export const isKept = (event: HolterEvent): boolean => event.type !== 'AGENT_HEARTBEAT';

/** The subject of an event: the agent of its commit, or a group for fleet events. */
export function subjectOf({ agent }: Commit, event: HolterEvent): string {
  const isAboutFleet = event.type === 'MASS_FAILURE' || event.type === 'MASS_FAILURE_OVER';
  return isAboutFleet ? fleetSubject(event.payload.group) : agent.hard.agentId;
}

/** As core names it in the effects of the fleet; ids of agents may look the same, so it is only a name. */
const fleetSubject = (group: string): string => `fleet:${group}`;

/** The incident that an event names, or the one that was open in the same commit. */
export function incidentOf({ agent }: Commit, event: HolterEvent): string | null {
  if ('incidentId' in event.payload && event.payload.incidentId !== null) return event.payload.incidentId;
  return agent.hard.incident?.id ?? null;
}

/** Tokens of an agent's starts have ids of this prefix; an agent's id has no `#`. */
export const startTokenPrefix = (agentId: string): string => `${agentId}#`;

/** Log-ins to the page have ids of this prefix. They end after a week, long before they are pruned. */
export const SESSION_TOKEN_PREFIX = 'page.';

/** This many of an agent's newest checkpoints are kept regardless of age, for agents that return after months. */
export const CHECKPOINTS_KEPT = 20;

/** The number of an agent's past incarnations whose last state is kept. */
export const FINAL_STATES_KEPT = 50;

type Soft = Agent['soft'];

/** Soft facts may arrive in any order and more than once: the greatest value is the newest. */
export function maxSoft(a: Soft, b: Soft): Soft {
  return {
    beatAt: instant(Math.max(a.beatAt, b.beatAt)),
    pongAt: instant(Math.max(a.pongAt, b.pongAt)),
    activityAt: instant(Math.max(a.activityAt, b.activityAt)),
    tokens: Math.max(a.tokens, b.tokens),
    costUsd: Math.max(a.costUsd, b.costUsd),
    probedAt: instant(Math.max(a.probedAt, b.probedAt)),
    cpuMs: Math.max(a.cpuMs, b.cpuMs),
    ioBytes: Math.max(a.ioBytes, b.ioBytes),
  };
}

/** A server that has seen newer events must not write to an older copy: past decisions would be made again. */
export function refuseOlder(lastCursor: number, seen: number): void {
  if (lastCursor >= seen) return;
  throw new StoreUnavailable(
    'older',
    `the store ends at event ${lastCursor}, but this server has seen ${seen}: an older copy was put in its place. ` +
      'Put the newest one back, or restart Holter to go on from the older one',
  );
}

/** NUL terminates text in SQLite's API, and PostgreSQL refuses it; inside JSON it is escaped. */
export const plainText = (text: string): string => text.replaceAll('\0', '\ufffd');

/** Lowercases ASCII only, like SQLite's `lower`, so that every store finds the same rows. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Why an effect was cancelled without having been claimed. */
export const OVER = cancellation('over');
export const OUT_OF_DATE = cancellation('out-of-date');

/** Of a notice there is a copy for each channel, and many are never read: only effects on agents are in the log. */
export const isCancellationKept = ({ kind }: Effect): boolean => kind !== 'notify';

/** What the log says of an effect that the store cancels. It follows the events of the commits that are stored with it. */
export const cancelledEvent = (
  { agentId, incarnation, id: effectId }: Effect,
  at: Instant,
  cancelled: Cancellation,
): EventOf<'EFFECT_CANCELLED'> => ({
  at,
  incarnation,
  type: 'EFFECT_CANCELLED',
  payload: { agentId, effectId, ...cancelled },
});
