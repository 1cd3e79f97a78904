import type { Agent, FleetGuard, Hard, Instant, Meter } from '@holter/core';
import { emptyFleetGuard, NEVER } from '@holter/core';
import type { StoredLetter } from '../letters.ts';
import type { Tally } from '../rollup.ts';
import type { SpendingKey } from '../spending.ts';
import type {
  EffectChange,
  EffectStatus,
  StoredCheckpoint,
  StoredEffect,
  StoredEvent,
  StoredToken,
  StripPage,
} from '../store.ts';
import { WakeQueue } from './wake-queue.ts';

type SpendingRow = readonly [SpendingKey, Meter];

export type AgentRow = { readonly agent: Agent; readonly version: number };

export type EffectRow = StoredEffect & {
  readonly status: EffectStatus;
  /** Earliest time of the next claim: the end of a lease, or the time of a retry. */
  readonly visibleAt: Instant;
  readonly settledAt: Instant | null;
};

type ChangeRow = Pick<EffectChange, 'cursor' | 'what'> & { readonly effectId: string; readonly at: Instant };

/** The wake time that was claimed; a claim does not cover any other. */
type DueClaim = { readonly wakeAt: Instant; readonly until: Instant };

export type EventRow = StoredEvent & { readonly incidentId: string | null };

/**
 * All stored data. Rows are replaced, never modified, so a snapshot copies the containers and shares the rows.
 * Roll-ups are the exception and are deep-copied.
 */
export type Tables = {
  readonly agents: Map<string, AgentRow>;
  fleet: { readonly fleet: FleetGuard; readonly version: number };
  events: EventRow[];
  lastCursor: number;
  /** In order of their creation. */
  readonly effects: Map<string, EffectRow>;
  effectChanges: ChangeRow[];
  lastEffectChange: number;
  readonly dueClaims: Map<string, DueClaim>;
  readonly checkpoints: Map<string, readonly StoredCheckpoint[]>;
  readonly tokens: Map<string, StoredToken>;
  readonly meta: Map<string, string>;
  readonly rollups: Map<string, Map<Instant, Tally>>;
  /** By agent and day, then by its whole key as JSON. */
  readonly spending: Map<string, ReadonlyMap<string, SpendingRow>>;
  /** Oldest first. */
  stripPages: readonly StripPage[];
  readonly finalStates: Map<string, readonly Hard[]>;
  /** In the order in which they were sent. */
  readonly letters: Map<string, StoredLetter>;
};

/** Indexes that can be rebuilt from the tables. */
export type Indexes = {
  readonly wakes: WakeQueue;
  readonly groupSizes: Map<string, number>;
  /** Effects that are not settled, in order of their creation. */
  readonly openEffects: Set<string>;
};

export function emptyTables(): Tables {
  return {
    agents: new Map(),
    fleet: { fleet: emptyFleetGuard, version: 0 },
    events: [],
    lastCursor: 0,
    effects: new Map(),
    effectChanges: [],
    lastEffectChange: 0,
    dueClaims: new Map(),
    checkpoints: new Map(),
    tokens: new Map(),
    meta: new Map(),
    rollups: new Map(),
    spending: new Map(),
    stripPages: [],
    finalStates: new Map(),
    letters: new Map(),
  };
}

export function copyTables(tables: Tables): Tables {
  return {
    agents: new Map(tables.agents),
    fleet: tables.fleet,
    events: [...tables.events],
    lastCursor: tables.lastCursor,
    effects: new Map(tables.effects),
    effectChanges: [...tables.effectChanges],
    lastEffectChange: tables.lastEffectChange,
    dueClaims: new Map(tables.dueClaims),
    checkpoints: new Map(tables.checkpoints),
    tokens: new Map(tables.tokens),
    meta: new Map(tables.meta),
    rollups: new Map([...tables.rollups].map(([agentId, tallies]) => [agentId, copyTallies(tallies)])),
    spending: new Map(tables.spending),
    stripPages: tables.stripPages,
    finalStates: new Map(tables.finalStates),
    letters: new Map(tables.letters),
  };
}

const copyTallies = (tallies: ReadonlyMap<Instant, Tally>): Map<Instant, Tally> =>
  new Map([...tallies].map(([hour, tally]) => [hour, { ...tally, stateMs: { ...tally.stateMs } }]));

export function indexesOf(tables: Tables): Indexes {
  const wakes = new WakeQueue(
    ({ agentId, wakeAt }) => tables.agents.get(agentId)?.agent.hard.wakeAt === wakeAt,
  );
  const groupSizes = new Map<string, number>();
  for (const { agent } of tables.agents.values()) {
    const { agentId, wakeAt, group, end } = agent.hard;
    if (wakeAt < NEVER) wakes.push({ agentId, wakeAt });
    if (!end) groupSizes.set(group, (groupSizes.get(group) ?? 0) + 1);
  }
  const openEffects = new Set<string>();
  for (const row of tables.effects.values()) if (row.settledAt === null) openEffects.add(row.effect.id);
  return { wakes, groupSizes, openEffects };
}
