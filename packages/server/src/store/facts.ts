import type { Agent, HolterEvent } from '@holter/core';
import { instant } from '@holter/core';
import { type Commit, StoreUnavailable } from './store.ts';

/** What every store reads out of a commit in the same way. */

/** Heartbeats are streamed and counted, but they are too many to be kept as rows. */
export const isKept = (event: HolterEvent): boolean => event.type !== 'AGENT_HEARTBEAT';

/** Whom an event is about: the agent of its commit, or a group where the fleet speaks. */
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

/** So many of an agent's newest checkpoints are kept, however old: whoever comes back after a summer may need one. */
export const CHECKPOINTS_KEPT = 20;

/** Of so many starts of an agent it is known how they ended. */
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

/** Whoever has seen more than the store holds must not write to it: what it decided there would be decided again. */
export function refuseOlder(lastCursor: number, seen: number): void {
  if (lastCursor >= seen) return;
  throw new StoreUnavailable(
    'older',
    `the store ends at event ${lastCursor}, but this server has seen ${seen}: an older copy was put in its place. ` +
      'Put the newest one back, or restart Holter to go on from the older one',
  );
}

/** A NUL ends a text in SQLite's interface, and PostgreSQL refuses it; inside JSON it is escaped. */
export const plainText = (text: string): string => text.replaceAll('\0', '\ufffd');

/** Only A to Z, as SQLite's `lower` does, so that every store finds the same. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Why an effect was cancelled without having been claimed. */
export const OVER = 'what it was for is over';
export const OUT_OF_DATE = 'out of date';
