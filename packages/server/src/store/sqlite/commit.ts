import type { HealthState, Instant } from '@holter/core';
import { EFFECT_URGENCY, RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import { FINAL_STATES_KEPT, incidentOf, isKept, plainText, subjectOf } from '../facts.ts';
import { tallyOf } from '../rollup.ts';
import { columnsOf } from '../sql/agents.ts';
import type { Schema } from '../sql/schema.ts';
import type { Commit, CommitVerdict, OrderedEffects, SoftEntry } from '../store.ts';
import { type Cancelled, cancelOver } from './cancel.ts';
import { lastCursor } from './cursors.ts';
import { noteChange } from './effects.ts';
import { appendEvents, type EventRow } from './events.ts';
import { prepared, preparedForMany } from './prepared.ts';
import { type AgentTallies, addRollups } from './rollups.ts';
import { putSoft } from './soft.ts';
import { addSpending } from './spending.ts';

/** What several commits write together. */
type Group = {
  /** There is one writer at a time, so the cursors of their events follow this one. */
  readonly lastCursor: number;
  /** The agents as the group leaves them. */
  readonly standing: Map<string, Standing>;
  readonly agents: AgentRow[];
  readonly events: EventRow[];
  readonly cancelled: Cancelled[];
  readonly soft: SoftEntry[];
  readonly tallies: AgentTallies[];
};

/** Several commits inside one transaction. */
export async function commitAll(
  db: Kysely<Schema>,
  commits: readonly Commit[],
): Promise<readonly CommitVerdict[]> {
  const verdicts: CommitVerdict[] = [];
  const ids = commits.map(({ agent }) => agent.hard.agentId);
  const { rows: found } = await findStanding(db, { agent_ids: JSON.stringify(ids) });
  const standing = new Map(found.map((row) => [row.agent_id, row]));
  const group: Group = {
    ...{ lastCursor: await lastCursor(db), standing },
    ...{ agents: [], events: [], cancelled: [], soft: [], tallies: [] },
  };
  for (const commit of commits) verdicts.push(await commitOne(db, commit, group));
  await putAgents(db, group.agents);
  group.events.push(...group.cancelled.map(({ row }) => row));
  await appendEvents(db, group.events);
  await putSoft(db, group.soft);
  await addRollups(db, group.tallies);
  return verdicts;
}

/**
 * Both versions are compared before anything is written, under the write lock, so a conflict leaves nothing to
 * undo.
 */
async function commitOne(db: Kysely<Schema>, commit: Commit, group: Group): Promise<CommitVerdict> {
  const { agent, expectedVersion, fleet, events } = commit;
  const { hard } = agent;
  const { agentId, incarnation } = hard;
  const before = group.standing.get(agentId);
  if ((before?.version ?? 0) !== expectedVersion) return { kind: 'conflict', what: 'agent' };
  if (fleet && (await fleetVersion(db)) !== fleet.expectedVersion) return { kind: 'conflict', what: 'fleet' };

  const json = JSON.stringify(hard);
  if (before && before.incarnation !== incarnation) {
    // The predecessor may be of this group.
    await putAgents(db, group.agents.splice(0));
    await keepPredecessor(db, agentId, incarnation);
  }
  const row = rowOf(commit, json);
  group.agents.push(row);
  group.standing.set(agentId, row);
  group.soft.push({ agentId, incarnation, soft: agent.soft });
  if (hard.health === 'TERMINATED') await keepFinal(db, agentId, incarnation, json);
  if (fleet) await putFleet(db, JSON.stringify(fleet.fleet), fleet.version);
  const standing = before && {
    health: before.health as HealthState,
    since: before.health_since as Instant,
  };
  group.tallies.push([agentId, tallyOf(standing ?? null, events)]);
  if (commit.spending) await addSpending(db, commit.spending);
  const rows = eventRowsOf(commit);
  const firstCursor = rows.length === 0 ? null : group.lastCursor + group.events.length + 1;
  group.events.push(...rows);
  const cancelled = await cancelOver(db, commit.over ?? [], commit.agent.hard.at);
  group.cancelled.push(...cancelled);
  await addEffects(db, { ...commit, at: commit.agent.hard.at });
  return {
    kind: 'ok',
    version: expectedVersion + 1,
    firstCursor,
    ...(cancelled.length > 0 && { cancelled: cancelled.map(({ event }) => event) }),
  };
}

type AgentRow = Omit<Schema['agents'], 'record_version'>;
type Standing = Pick<AgentRow, 'agent_id' | 'version' | 'incarnation' | 'health' | 'health_since'>;

/** Of all agents of a group. */
const findStanding = prepared<{ agent_ids: string }, Standing>((db, place) =>
  db
    .selectFrom('agents')
    .select(['agent_id', 'version', 'incarnation', 'health', 'health_since'])
    .where('agent_id', 'in', sql<string>`(select value from json_each(${place('agent_ids')}))`),
);

/** An upsert: both versions were compared before. */
const putAgents = preparedForMany<AgentRow>((db, place) => {
  const row = {
    version: place('version'),
    incarnation: place('incarnation'),
    role: place('role'),
    group_name: place('group_name'),
    health: place('health'),
    health_since: place('health_since'),
    has_ended: place('has_ended'),
    has_incident: place('has_incident'),
    wake_at: place('wake_at'),
    updated_at: place('updated_at'),
    hard: place('hard'),
    record_version: RECORD_VERSION,
  };
  return db
    .insertInto('agents')
    .values({ agent_id: place('agent_id'), ...row })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(row));
});

const rowOf = ({ agent: { hard }, expectedVersion }: Commit, json: string): AgentRow => ({
  ...columnsOf(hard, expectedVersion + 1, json),
  wake_at: hard.wakeAt,
});

async function fleetVersion(db: Kysely<Schema>): Promise<number> {
  const row = await db.selectFrom('fleet').select('version').executeTakeFirst();
  return row?.version ?? 0;
}

async function putFleet(db: Kysely<Schema>, state: string, version: number): Promise<void> {
  const row = { version, state, record_version: RECORD_VERSION };
  await db
    .insertInto('fleet')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Archives the last state of the previous incarnation and drops the oldest archived one. */
async function keepPredecessor(db: Kysely<Schema>, agentId: string, incarnation: number): Promise<void> {
  await db
    .insertInto('final_states')
    .columns(['agent_id', 'incarnation', 'hard', 'record_version'])
    .expression(
      db
        .selectFrom('agents')
        .select(['agent_id', 'incarnation', 'hard', 'record_version'])
        .where('agent_id', '=', agentId),
    )
    .onConflict((conflict) =>
      conflict.columns(['agent_id', 'incarnation']).doUpdateSet(({ ref }) => ({
        hard: ref('excluded.hard'),
        record_version: ref('excluded.record_version'),
      })),
    )
    .execute();
  await db
    .deleteFrom('final_states')
    .where('agent_id', '=', agentId)
    .where('incarnation', '<', incarnation - FINAL_STATES_KEPT)
    .execute();
}

async function keepFinal(
  db: Kysely<Schema>,
  agentId: string,
  incarnation: number,
  hard: string,
): Promise<void> {
  const row = { hard, record_version: RECORD_VERSION };
  await db
    .insertInto('final_states')
    .values({ agent_id: agentId, incarnation, ...row })
    .onConflict((conflict) => conflict.columns(['agent_id', 'incarnation']).doUpdateSet(row))
    .execute();
}

const eventRowsOf = (commit: Commit): readonly EventRow[] =>
  commit.events.filter(isKept).map((event) => ({
    at: event.at,
    agent_id: subjectOf(commit, event),
    type: event.type,
    incident_id: incidentOf(commit, event),
    correlation_id: plainText(commit.correlationId),
    body: JSON.stringify(event),
  }));

type NewEffect = Pick<
  Schema['effects'],
  'id' | 'agent_id' | 'executor' | 'created_at' | 'correlation_id' | 'body' | 'lives_by' | 'until' | 'urgency'
>;

/** An existing id is the same decision repeated; its stored status is kept. */
const putEffect = prepared<NewEffect>((db, place) =>
  db
    .insertInto('effects')
    .values({
      id: place('id'),
      agent_id: place('agent_id'),
      executor: place('executor'),
      status: 'pending',
      visible_at: 0,
      tries: 0,
      created_at: place('created_at'),
      settled_at: null,
      outcome: null,
      detail: '',
      correlation_id: place('correlation_id'),
      body: place('body'),
      lives_by: place('lives_by'),
      until: place('until'),
      urgency: place('urgency'),
      record_version: RECORD_VERSION,
    })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

export async function addEffects(
  db: Kysely<Schema>,
  { effects, at, correlationId }: OrderedEffects,
): Promise<void> {
  for (const effect of effects) {
    const { numAffectedRows } = await putEffect(db, {
      id: effect.id,
      agent_id: effect.agentId,
      executor: effect.executor,
      created_at: at,
      correlation_id: plainText(correlationId),
      body: JSON.stringify(effect),
      lives_by: effect.livesBy,
      until: effect.until ?? null,
      urgency: EFFECT_URGENCY[effect.kind],
    });
    if (numAffectedRows) await noteChange(db, { effect_id: effect.id, what: 'ordered', at });
  }
}
