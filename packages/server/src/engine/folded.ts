import type {
  Agent,
  Effect,
  EventType,
  FleetGuard,
  Hard,
  HolterEvent,
  Instant,
  Life,
  Spending,
} from '@holter/core';
import { stillWanted } from '@holter/core';
import { cancelledEvent, isCancellationKept, isKept, OVER } from '../store/facts.ts';
import type { Commit } from '../store/store.ts';
import type { FleetVersions } from './fleet-cell.ts';
import type { Answer } from './request.ts';

/** The combined result of one batch of requests, for one commit. */
export type Folded = {
  agent: Agent | null;
  isHardChanged: boolean;
  /** A check that found nothing new. */
  isPostponed: boolean;
  events: readonly HolterEvent[];
  effects: readonly Effect[];
  /** Incidents and incarnations that ended: the store cancels their pending effects. */
  readonly over: Life[];
  readonly spending: Spending[];
  readonly answers: Answer[];
  /** Expected and new version of the fleet; null when no turn changed it. */
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
  spending: [],
  answers: [],
  fleetVersions: null,
  fleet: null,
});

/** What earlier inputs of the batch ordered for these lives is never stored: the log says so, as the store does. */
export function endLives(folded: Folded, lives: readonly Life[], at: Instant): void {
  const kept = stillWanted(folded.effects, lives);
  const dropped = folded.effects.filter((effect) => !kept.includes(effect) && isCancellationKept(effect));
  folded.events = folded.events.concat(dropped.map((effect) => cancelledEvent(effect, at, OVER)));
  folded.effects = kept;
  folded.over.push(...lives);
}

/** A rejection is recorded as an event, so it is committed although the agent did not change. */
export function needsCommit({ isHardChanged, events, effects }: Folded): boolean {
  return isHardChanged || effects.length > 0 || events.some(isKept);
}

export function commitOf(folded: Folded, expectedVersion: number, correlationId: string): Commit {
  const { agent, events, effects, over, spending, fleet, fleetVersions } = folded;
  if (!agent) throw new Error('nothing to commit');
  return {
    agent,
    expectedVersion,
    events,
    effects,
    over,
    ...(spending.length > 0 && { spending }),
    ...(fleet && fleetVersions && { fleet: { fleet, ...fleetVersions } }),
    correlationId,
  };
}

/** Only the time of the next check changed, which needs no commit. */
export function isOnlyLookedAt(before: Hard, after: Hard): boolean {
  return (Object.keys(after) as (keyof Hard)[]).every((key) => {
    if (key === 'at' || key === 'wakeAt' || after[key] === before[key]) return true;
    return key === 'derived' && after.derived.length === 0 && before.derived.length === 0;
  });
}

const ACCUSES: ReadonlySet<string> = new Set<EventType>(['FINDING_RAISED', 'LIVENESS_CHANGED']);

/** Whether the passing of time is held against the agent. */
export const accuses = (events: readonly HolterEvent[]): boolean =>
  events.some(({ type }) => ACCUSES.has(type));

export function cancellationOf(events: readonly HolterEvent[]): { readonly cancelledBecause?: string } {
  for (const event of events)
    if (event.type === 'EFFECT_CANCELLED') return { cancelledBecause: event.payload.because };
  return {};
}
