import type { Agent, HealthState, Instant, Spending } from '@holter/core';
import { downcast } from '@holter/core';
import { FINAL_STATES_KEPT, incidentOf, isKept, maxSoft, subjectOf } from '../facts.ts';
import { emptyTally, type Tallies, type Tally, tallyOf } from '../rollup.ts';
import { columnsOf } from '../sql/agents.ts';
import { COUNTS, STATES } from '../sql/rollups.ts';
import type { Commit, CommitVerdict } from '../store.ts';
import type { Row } from './connections.ts';
import { cancelOver, effectParts, type NewEffect } from './effects.ts';
import { insertEvents, LOG_LOCK, selectLast } from './log.ts';
import { SOFT_FACTS, SOFT_NAMES } from './soft.ts';
import { addSpending } from './spending.ts';
import { JSON_TEXT, literal, literals, rowsOf } from './text.ts';

/** One agent as the group leaves it. */
type Standing = {
  readonly version: number;
  readonly incarnation: number;
  readonly health: HealthState;
  readonly since: Instant;
  /** Null as long as the group has not changed it. `was` is the stored version, null for a new agent. */
  readonly written: { readonly agent: Agent; readonly json: string; readonly was: number | null } | null;
};

type FinalRow = { readonly agent_id: string; readonly incarnation: number; readonly hard: string };
type EventRow = Readonly<Record<keyof typeof EVENT_COLUMNS, string | number | null>>;

type Finished = {
  readonly statements: readonly string[];
  /** The position of the statement that returns the cursor before the group's events. */
  readonly lastCursorAt: number | null;
  /** The position of the statement that returns what the log says of the effects that a commit cancelled. */
  readonly cancelledAt: ReadonlyMap<Commit, number>;
};

/** Collects the accepted commits of a group, and writes the statements that store all of them at once. */
export class CommitGroup {
  private readonly agents: Map<string, Standing>;
  private readonly storedFleetVersion: number;
  private fleetVersion: number;
  private fleetState: string | null = null;
  /** Agents whose stored state is the last one of its incarnation. */
  private readonly replaced: string[] = [];
  private readonly finals = new Map<string, FinalRow>();
  private readonly newest = new Map<string, number>();
  private readonly tallies = new Map<string, { agentId: string; hour: Instant; tally: Tally }>();
  private readonly spending: Spending[] = [];
  private readonly events: EventRow[] = [];
  /** In the order of the commits. */
  private readonly effects: string[] = [];
  /** Which of them cancels effects for a commit. */
  private readonly cancelling = new Map<Commit, number>();
  private ordered: NewEffect[] = [];
  private readonly recordVersion: number;

  constructor(agents: readonly Row[], fleetVersion: number, recordVersion: number) {
    this.recordVersion = recordVersion;
    this.agents = new Map(agents.map((row) => [String(row.agent_id), standingOf(row)]));
    this.storedFleetVersion = fleetVersion;
    this.fleetVersion = fleetVersion;
  }

  /** The first cursor counts from 1 in this group. A commit with a conflict leaves nothing behind. */
  add(commit: Commit): CommitVerdict {
    const { agent, expectedVersion, fleet } = commit;
    const { agentId, incarnation, health } = agent.hard;
    const before = this.agents.get(agentId) ?? null;
    if ((before?.version ?? 0) !== expectedVersion) return { kind: 'conflict', what: 'agent' };
    if (fleet && this.fleetVersion !== fleet.expectedVersion) return { kind: 'conflict', what: 'fleet' };

    const json = JSON.stringify(downcast('agent', agent.hard, this.recordVersion));
    if (before && before.incarnation !== incarnation) this.keepPredecessor(agentId, incarnation, before);
    if (health === 'TERMINATED') this.keepFinal(agentId, incarnation, json);
    this.agents.set(agentId, after(commit, before, json));
    if (fleet) {
      this.fleetVersion = fleet.version;
      this.fleetState = JSON.stringify(downcast('fleet', fleet.fleet, this.recordVersion));
    }
    this.addTallies(agentId, tallyOf(before, commit.events));
    this.spending.push(...(commit.spending ?? []));
    this.addEffects(commit);
    return { kind: 'ok', version: expectedVersion + 1, firstCursor: this.addEvents(commit) };
  }

  finish(booked: readonly Row[]): Finished {
    this.finishOrdered();
    const statements = [
      ...this.fleetStatements(),
      ...this.finalStatements(),
      ...this.agentStatements(),
      ...(this.tallies.size > 0 ? [addRollups([...this.tallies.values()])] : []),
      ...(this.spending.length > 0 ? [addSpending(this.spending, booked)] : []),
    ];
    if (this.events.length === 0 && this.effects.length === 0)
      return { statements, lastCursorAt: null, cancelledAt: new Map() };
    const logged =
      this.events.length > 0 ? [insertEvents(rowsOf(EVENT_COLUMNS, this.events), this.recordVersion)] : [];
    const before = [...statements, LOG_LOCK, selectLast('events'), ...logged];
    return {
      statements: [...before, ...this.effects],
      lastCursorAt: statements.length + 1,
      cancelledAt: new Map([...this.cancelling].map(([commit, place]) => [commit, before.length + place])),
    };
  }

  private keepPredecessor(agentId: string, incarnation: number, before: Standing): void {
    if (before.written) this.keepFinal(agentId, before.incarnation, before.written.json);
    else this.replaced.push(agentId);
    this.newest.set(agentId, incarnation);
  }

  private keepFinal(agentId: string, incarnation: number, hard: string): void {
    this.finals.set(`${agentId} ${incarnation}`, { agent_id: agentId, incarnation, hard });
  }

  private addTallies(agentId: string, tallies: Tallies): void {
    for (const [hour, tally] of tallies) {
      const key = `${agentId} ${hour}`;
      const sum = this.tallies.get(key) ?? { agentId, hour, tally: emptyTally() };
      for (const count of COUNTS) sum.tally[count] += tally[count];
      for (const [state, ms] of Object.entries(tally.stateMs))
        sum.tally.stateMs[state] = (sum.tally.stateMs[state] ?? 0) + ms;
      this.tallies.set(key, sum);
    }
  }

  private addEvents(commit: Commit): number | null {
    const kept = commit.events.filter(isKept);
    const first = this.events.length + 1;
    for (const event of kept)
      this.events.push({
        n: this.events.length + 1,
        at: event.at,
        agent_id: subjectOf(commit, event),
        type: event.type,
        incident_id: incidentOf(commit, event),
        correlation_id: commit.correlationId,
        body: JSON.stringify(downcast('event', event, this.recordVersion)),
      });
    return kept.length > 0 ? first : null;
  }

  private addEffects(commit: Commit): void {
    const { agent, over, effects, correlationId } = commit;
    const { at } = agent.hard;
    if (over && over.length > 0) {
      // It may end effects that an earlier commit of this group orders.
      this.finishOrdered();
      this.cancelling.set(commit, this.effects.push(cancelOver(over, at)) - 1);
    }
    for (const effect of effects) this.ordered.push({ effect, at, correlationId });
  }

  private finishOrdered(): void {
    if (this.ordered.length > 0)
      this.effects.push(`with ${effectParts(this.ordered, this.recordVersion)} select`);
    this.ordered = [];
  }

  private finalStatements(): readonly string[] {
    const finals = [...this.finals.values()];
    return [
      ...(this.replaced.length > 0 ? [keepStored(this.replaced)] : []),
      ...(finals.length > 0 ? [keepFinals(finals, this.recordVersion)] : []),
      ...[...this.newest].map(
        ([agentId, incarnation]) =>
          `delete from final_states where agent_id = ${literal(agentId)}
           and incarnation < ${literal(incarnation - FINAL_STATES_KEPT)}`,
      ),
    ];
  }

  private agentStatements(): readonly string[] {
    const { recordVersion } = this;
    // In one order: servers that change the same agents wait for each other, and do not block each other.
    const written = [...this.agents.values()]
      .flatMap(({ version, written }) => (written ? [{ ...written, version, recordVersion }] : []))
      .sort(({ agent: { hard: a } }, { agent: { hard: b } }) => (a.agentId < b.agentId ? -1 : 1));
    const created = written.filter(({ was }) => was === null);
    const changed = written.filter(({ was }) => was !== null);
    return [
      ...(created.length > 0 ? TABLES.map((table) => insertInto(table, created)) : []),
      ...(changed.length > 0 ? TABLES.map((table) => update(table, changed)) : []),
    ];
  }

  private fleetStatements(): readonly string[] {
    if (this.fleetState === null) return [];
    const row = `${literal(this.fleetVersion)}, ${literal(this.fleetState)}, ${this.recordVersion}`;
    return [
      FLEET_LOCK,
      changing(
        `insert into fleet (id, version, state, record_version) values (1, ${row})
         on conflict (id) do update set (version, state, record_version) = (${row})
         where fleet.version = ${literal(this.storedFleetVersion)}`,
        1,
      ),
    ];
  }
}

const standingOf = (row: Row): Standing => ({
  version: Number(row.version),
  incarnation: Number(row.incarnation),
  health: row.health as HealthState,
  since: Number(row.health_since) as Instant,
  written: null,
});

/** A new incarnation does not inherit soft facts. */
function after({ agent, expectedVersion }: Commit, before: Standing | null, json: string): Standing {
  const { incarnation, health, healthSince } = agent.hard;
  const earlier = before?.incarnation === incarnation ? before.written : null;
  const soft = earlier ? maxSoft(earlier.agent.soft, agent.soft) : agent.soft;
  const was = before?.written ? before.written.was : (before?.version ?? null);
  return {
    version: expectedVersion + 1,
    incarnation,
    health,
    since: healthSince,
    written: { agent: { ...agent, soft }, json, was },
  };
}

type Written = NonNullable<Standing['written']> & {
  readonly version: number;
  readonly recordVersion: number;
};

const AGENT_COLUMNS = {
  agent_id: 'text',
  version: 'bigint',
  incarnation: 'bigint',
  role: 'text',
  group_name: 'text',
  health: 'text',
  health_since: 'double precision',
  has_ended: 'integer',
  has_incident: 'integer',
  updated_at: 'double precision',
  hard: JSON_TEXT,
  record_version: 'integer',
} as const;

const SOFT_COLUMNS = {
  agent_id: 'text',
  incarnation: 'bigint',
  ...Object.fromEntries(SOFT_NAMES.map((name) => [name, 'double precision'])),
};

const DUE_COLUMNS = {
  agent_id: 'text',
  incarnation: 'bigint',
  version: 'bigint',
  wake_at: 'double precision',
  record_version: 'integer',
} as const;

type Table = {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly rowOf: (written: Written) => Readonly<Record<string, string | number | null>>;
  /** What a column of a row that is there becomes; without it, the new value. */
  readonly merged?: (column: string) => string;
  /** Written only while its version is the one that was read. */
  readonly isVersioned?: true;
};

/** What every agent has one row in. */
const TABLES: readonly Table[] = [
  {
    name: 'agents',
    isVersioned: true,
    columns: AGENT_COLUMNS,
    rowOf: ({ agent: { hard }, json, version, recordVersion }) => ({
      ...columnsOf(hard, version, json),
      record_version: recordVersion,
    }),
  },
  {
    name: 'soft',
    columns: SOFT_COLUMNS,
    rowOf: ({ agent: { hard, soft } }) => ({
      agent_id: hard.agentId,
      incarnation: hard.incarnation,
      ...Object.fromEntries(SOFT_NAMES.map((name) => [name, soft[SOFT_FACTS[name]]])),
    }),
    merged: (column) =>
      column in SOFT_FACTS
        ? `case when soft.incarnation = r.incarnation then greatest(soft.${column}, r.${column}) else r.${column} end`
        : `r.${column}`,
  },
  {
    name: 'due',
    columns: DUE_COLUMNS,
    rowOf: ({ agent: { hard }, version, recordVersion }) => ({
      agent_id: hard.agentId,
      incarnation: hard.incarnation,
      version,
      wake_at: hard.wakeAt,
      record_version: recordVersion,
    }),
  },
];

function insertInto({ name, columns, rowOf }: Table, written: readonly Written[]): string {
  const names = Object.keys(columns).join(', ');
  return `insert into ${name} (${names}) select ${names} from ${rowsOf(columns, written.map(rowOf))}`;
}

/** Faster than an insert with `on conflict`, which locks each row before it changes it. */
function update({ name, columns, rowOf, merged, isVersioned }: Table, written: readonly Written[]): string {
  const values = Object.keys(columns).map((column) => `${column} = ${merged?.(column) ?? `r.${column}`}`);
  const rows = rowsOf(
    { ...columns, was: 'bigint' },
    written.map((each) => ({ ...rowOf(each), was: each.was })),
  );
  const change = `update ${name} set ${values.join(', ')} from ${rows} where ${name}.agent_id = r.agent_id`;
  return isVersioned ? changing(`${change} and ${name}.version = r.was`, written.length) : change;
}

/** Divides by zero, which undoes the whole group, unless it changes so many rows: others have changed them meanwhile. */
const changing = (change: string, rows: number): string =>
  `with changed as (${change} returning 1) select 1 / (count(*) = ${rows})::int from changed`;

/** Older servers compare the fleet's version only under this lock. */
const FLEET_LOCK = 'select pg_advisory_xact_lock(4715502)';

const keepStored = (agentIds: readonly string[]): string =>
  `insert into final_states (agent_id, incarnation, hard, record_version)
   select agent_id, incarnation, hard, record_version from agents where agent_id in (${literals(agentIds)})
   ${KEEP_NEWER}`;

const keepFinals = (rows: readonly FinalRow[], recordVersion: number): string =>
  `insert into final_states (agent_id, incarnation, hard, record_version)
   select agent_id, incarnation, hard, ${recordVersion}
   from ${rowsOf({ agent_id: 'text', incarnation: 'bigint', hard: JSON_TEXT }, rows)} ${KEEP_NEWER}`;

const KEEP_NEWER = `on conflict (agent_id, incarnation) do update
  set (hard, record_version) = (excluded.hard, excluded.record_version)`;

const EVENT_COLUMNS = {
  n: 'integer',
  at: 'double precision',
  agent_id: 'text',
  type: 'text',
  incident_id: 'text',
  correlation_id: 'text',
  body: JSON_TEXT,
} as const;

const TALLY_NAMES = [...COUNTS, ...STATES.map(([, column]) => column)];

function addRollups(
  tallies: readonly { readonly agentId: string; readonly hour: Instant; readonly tally: Tally }[],
): string {
  const columns: Record<string, string> = { agent_id: 'text', hour: 'double precision' };
  for (const name of TALLY_NAMES) columns[name] = 'double precision';
  const rows = tallies.map(({ agentId, hour, tally }) => ({
    agent_id: agentId,
    hour,
    ...Object.fromEntries(COUNTS.map((count) => [count, tally[count]])),
    ...Object.fromEntries(STATES.map(([state, column]) => [column, tally.stateMs[state] ?? 0])),
  }));
  const names = Object.keys(columns).join(', ');
  return `insert into rollups (${names}) select ${names} from ${rowsOf(columns, rows)} order by agent_id, hour
    on conflict (agent_id, hour) do update
    set ${TALLY_NAMES.map((name) => `${name} = rollups.${name} + excluded.${name}`).join(', ')}`;
}
