import type { Agent, Effect, FleetGuard, Hard, HolterEvent, Life } from '@holter/core';
import { isKept } from '../store/facts.ts';
import type { FleetVersions } from './fleet-cell.ts';
import type { Answer } from './request.ts';

/** What the requests of one batch led to, for one commit. */
export type Folded = {
  agent: Agent | null;
  isHardChanged: boolean;
  /** A look that found nothing new. */
  isPostponed: boolean;
  readonly events: HolterEvent[];
  effects: readonly Effect[];
  /** What ended: the store cancels what is still pending for it. */
  readonly over: Life[];
  readonly answers: Answer[];
  /** What the commit must find of the fleet, and what it leaves; null when no turn changed it. */
  fleetVersions: FleetVersions | null;
  fleet: FleetGuard | null;
};

export const emptyFolded = (agent: Agent | null): Folded => ({
  agent,
  isHardChanged: false,
  isPostponed: false,
  events: [],
  effects: [],
  over: [],
  answers: [],
  fleetVersions: null,
  fleet: null,
});

/** A rejection is on record, so it is committed although the agent did not change. */
export function needsCommit({ isHardChanged, events, effects }: Folded): boolean {
  return isHardChanged || effects.length > 0 || events.some(isKept);
}

/** Time has passed, and nothing follows from it but when to look again: no reason for a commit. */
export function isOnlyLookedAt(before: Hard, after: Hard): boolean {
  return (Object.keys(after) as (keyof Hard)[]).every((key) => {
    if (key === 'at' || key === 'wakeAt' || after[key] === before[key]) return true;
    return key === 'derived' && after.derived.length === 0 && before.derived.length === 0;
  });
}
