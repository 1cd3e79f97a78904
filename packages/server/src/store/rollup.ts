import type { EventType, HealthState, HolterEvent, Instant } from '@holter/core';
import { hours, instant } from '@holter/core';
import type { Rollup } from './store.ts';

/** What one commit or flush adds to one hour of one agent. */
export type Tally = { -readonly [Key in Exclude<keyof Rollup, 'hour' | 'agentId' | 'stateMs'>]: number } & {
  readonly stateMs: Record<string, number>;
};

export type Tallies = ReadonlyMap<Instant, Tally>;

/** The state that an agent was in before a commit, and since when. */
type Standing = { readonly health: HealthState; readonly since: Instant };

const HOUR_MS = hours(1);

export const hourOf = (at: Instant): Instant => instant(at - (at % HOUR_MS));

export const emptyTally = (): Tally => ({
  beats: 0,
  nudges: 0,
  escalations: 0,
  terminations: 0,
  recoveries: 0,
  stateMs: {},
});

const COUNTED: Partial<Record<EventType, Exclude<keyof Tally, 'stateMs'>>> = {
  AGENT_HEARTBEAT: 'beats',
  NUDGE_SENT: 'nudges',
  ESCALATION_TRIGGERED: 'escalations',
  AGENT_TERMINATED: 'terminations',
  RECOVERY_INITIATED: 'recoveries',
};

/**
 * What the events of one commit add to the roll-ups. Time in a state is added when the state ends, so quiet agents
 * cost nothing; readers add the current state themselves (`addSpan`).
 */
export function tallyOf(before: Standing | null, events: readonly HolterEvent[]): Tallies {
  const tallies = new Map<Instant, Tally>();
  let standing = before;
  for (const event of events) {
    const counted = COUNTED[event.type];
    if (counted !== undefined) tallyAt(tallies, hourOf(event.at))[counted] += 1;
    if (event.type !== 'HEALTH_STATE_CHANGED') continue;
    if (standing) addSpan(tallies, standing, event.at);
    standing = { health: event.payload.to, since: event.at };
  }
  return tallies;
}

/** Adds the time from `since` to `until`, split by hour. */
export function addSpan(tallies: Map<Instant, Tally>, { health, since }: Standing, until: Instant): void {
  if (health === 'TERMINATED') return;
  for (let start = since; start < until; ) {
    const hour = hourOf(start);
    const end = Math.min(until, hour + HOUR_MS);
    const { stateMs } = tallyAt(tallies, hour);
    stateMs[health] = (stateMs[health] ?? 0) + (end - start);
    start = instant(end);
  }
}

function tallyAt(tallies: Map<Instant, Tally>, hour: Instant): Tally {
  let tally = tallies.get(hour);
  if (!tally) {
    tally = emptyTally();
    tallies.set(hour, tally);
  }
  return tally;
}
