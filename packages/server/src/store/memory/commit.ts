import type { Hard, Instant, Spending } from '@holter/core';
import { emptyMeter, NEVER } from '@holter/core';
import { FINAL_STATES_KEPT, incidentOf, isKept, maxSoft, OVER, plainText, subjectOf } from '../facts.ts';
import { emptyTally, hourOf, type Tallies, type Tally, tallyOf } from '../rollup.ts';
import { addMeters, crowdedKey, keyOf, SPENDING_ROWS_MAX } from '../spending.ts';
import type { Commit, CommitVerdict, OrderedEffects, SoftEntry } from '../store.ts';
import { type Cancelled, cancelEffect, logCancelled, noteChange } from './effects.ts';
import type { Indexes, Tables } from './tables.ts';

export function commitAll(
  tables: Tables,
  indexes: Indexes,
  commits: readonly Commit[],
): readonly CommitVerdict[] {
  const all = commits.map((commit) => commitOne(tables, indexes, commit));
  return all.map(({ verdict, cancelled }) => {
    const events = logCancelled(tables, cancelled);
    return events.length === 0 ? verdict : { ...verdict, cancelled: events };
  });
}

type Done = { readonly verdict: CommitVerdict; readonly cancelled: readonly Cancelled[] };

const conflict = (what: 'agent' | 'fleet'): Done => ({ verdict: { kind: 'conflict', what }, cancelled: [] });

function commitOne(tables: Tables, indexes: Indexes, commit: Commit): Done {
  const { agent, expectedVersion, fleet } = commit;
  const { agentId } = agent.hard;
  const before = tables.agents.get(agentId);
  if ((before?.version ?? 0) !== expectedVersion) return conflict('agent');
  if (fleet && fleet.expectedVersion !== tables.fleet.version) return conflict('fleet');

  const old = before?.agent;
  // A new incarnation does not inherit soft facts.
  const isSameStart = old !== undefined && old.hard.incarnation === agent.hard.incarnation;
  const soft = isSameStart ? maxSoft(old.soft, agent.soft) : agent.soft;
  tables.agents.set(agentId, { agent: { soft, hard: agent.hard }, version: expectedVersion + 1 });
  index(indexes, old?.hard, agent.hard);
  if (old && !isSameStart) keepPredecessor(tables, old.hard, agent.hard.incarnation);
  if (agent.hard.health === 'TERMINATED') keepFinal(tables, agent.hard);
  if (fleet) tables.fleet = { fleet: fleet.fleet, version: fleet.version };

  const standing = old ? { health: old.hard.health, since: old.hard.healthSince } : null;
  book(tables, agentId, tallyOf(standing, commit.events));
  addSpending(tables, commit.spending ?? []);
  const firstCursor = appendEvents(tables, commit);
  const cancelled = cancelEffects(tables, indexes, commit);
  addEffects(tables, indexes, { ...commit, at: commit.agent.hard.at });
  return { verdict: { kind: 'ok', version: expectedVersion + 1, firstCursor }, cancelled };
}

export function flushOne(tables: Tables, { wakes }: Indexes, entry: SoftEntry): void {
  const { agentId, incarnation, soft, beats, wake } = entry;
  const row = tables.agents.get(agentId);
  if (!row || row.agent.hard.incarnation !== incarnation) return;
  const isPostponed = wake?.version === row.version;
  const hard = isPostponed ? { ...row.agent.hard, wakeAt: wake.at } : row.agent.hard;
  tables.agents.set(agentId, { ...row, agent: { soft: maxSoft(row.agent.soft, soft), hard } });
  if (isPostponed && wake.at < NEVER) wakes.push({ agentId, wakeAt: wake.at });
  if (beats) book(tables, agentId, new Map([[hourOf(soft.beatAt), { ...emptyTally(), beats }]]));
}

function index({ wakes, groupSizes }: Indexes, old: Hard | undefined, hard: Hard): void {
  const { agentId, wakeAt } = hard;
  if (wakeAt < NEVER && old?.wakeAt !== wakeAt) wakes.push({ agentId, wakeAt });
  if (old && !old.end) groupSizes.set(old.group, (groupSizes.get(old.group) ?? 0) - 1);
  if (!hard.end) groupSizes.set(hard.group, (groupSizes.get(hard.group) ?? 0) + 1);
}

/** Archives the last state of the previous incarnation and drops the oldest archived ones. */
function keepPredecessor(tables: Tables, old: Hard, incarnation: number): void {
  keepFinal(tables, old);
  const kept = tables.finalStates
    .get(old.agentId)
    ?.filter((hard) => hard.incarnation >= incarnation - FINAL_STATES_KEPT);
  tables.finalStates.set(old.agentId, kept ?? []);
}

/** Newest first. An incarnation archived more than once keeps its last state. */
function keepFinal(tables: Tables, hard: Hard): void {
  const others = (tables.finalStates.get(hard.agentId) ?? []).filter(
    ({ incarnation }) => incarnation !== hard.incarnation,
  );
  const all = [hard, ...others].sort((a, b) => b.incarnation - a.incarnation);
  tables.finalStates.set(hard.agentId, all);
}

function appendEvents(tables: Tables, commit: Commit): number | null {
  let firstCursor: number | null = null;
  for (const event of commit.events) {
    if (!isKept(event)) continue;
    tables.lastCursor += 1;
    firstCursor ??= tables.lastCursor;
    tables.events.push({
      cursor: tables.lastCursor,
      correlationId: plainText(commit.correlationId),
      agentId: subjectOf(commit, event),
      event,
      incidentId: incidentOf(commit, event),
    });
  }
  return firstCursor;
}

/** Claimed effects are left to their executor: its next claim cancels them, or its receipt settles them. */
function cancelEffects(tables: Tables, indexes: Indexes, { agent, over }: Commit): readonly Cancelled[] {
  if (!over || over.length === 0) return [];
  return [...indexes.openEffects].flatMap((id) => {
    const row = tables.effects.get(id);
    const isOver = row?.status === 'pending' && over.includes(row.effect.livesBy);
    return isOver ? cancelEffect(tables, indexes, row, agent.hard.at, OVER) : [];
  });
}

/** An existing id is the same decision repeated; its stored status is kept. */
export function addEffects(
  tables: Tables,
  indexes: Indexes,
  { effects, at: createdAt, correlationId }: OrderedEffects,
): void {
  for (const effect of effects) {
    if (tables.effects.has(effect.id)) continue;
    tables.effects.set(effect.id, {
      effect,
      tries: 0,
      correlationId: plainText(correlationId),
      status: 'pending',
      createdAt,
      outcome: null,
      detail: '',
      isOffered: false,
      visibleAt: 0 as Instant,
      settledAt: null,
    });
    indexes.openEffects.add(effect.id);
    noteChange(tables, effect.id, 'ordered', createdAt);
  }
}

function addSpending(tables: Tables, rows: readonly Spending[]): void {
  for (const row of rows) {
    const key = keyOf(row);
    const place = `${key.day} ${key.agentId}`;
    const known = tables.spending.get(place) ?? new Map();
    const hasRoom = known.has(JSON.stringify(key)) || known.size < SPENDING_ROWS_MAX;
    const full = hasRoom ? key : crowdedKey(key);
    const name = JSON.stringify(full);
    const [, before = emptyMeter] = known.get(name) ?? [];
    tables.spending.set(place, new Map(known).set(name, [full, addMeters(before, row)]));
  }
}

function book(tables: Tables, agentId: string, tallies: Tallies): void {
  if (tallies.size === 0) return;
  const hours = tables.rollups.get(agentId) ?? new Map<Instant, Tally>();
  tables.rollups.set(agentId, hours);
  for (const [hour, tally] of tallies) {
    const sum = hours.get(hour) ?? emptyTally();
    hours.set(hour, sum);
    sum.beats += tally.beats;
    sum.nudges += tally.nudges;
    sum.escalations += tally.escalations;
    sum.terminations += tally.terminations;
    sum.recoveries += tally.recoveries;
    for (const [state, ms] of Object.entries(tally.stateMs)) {
      sum.stateMs[state] = (sum.stateMs[state] ?? 0) + ms;
    }
  }
}
