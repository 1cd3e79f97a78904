import type { Instant } from '@holter/core';
import { dayOf, instant } from '@holter/core';
import { CHECKPOINTS_KEPT, lowerAscii, SESSION_TOKEN_PREFIX } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import { addSpan, emptyTally, hourOf, type Tally } from '../rollup.ts';
import type {
  AgentQuery,
  Cutoffs,
  EventQuery,
  Page,
  Rollup,
  StoredAgent,
  StoredEvent,
  StoredToken,
} from '../store.ts';
import type { AgentRow, EventRow, Tables } from './tables.ts';

export function listAgents(tables: Tables, query: AgentQuery): Page<StoredAgent> {
  const after = query.cursor ?? '';
  const found = [...tables.agents.keys()]
    .filter((agentId) => agentId > after)
    .sort()
    .map((agentId) => tables.agents.get(agentId) as AgentRow)
    .filter((row) => isWanted(row, query));
  const items = found.slice(0, query.limit);
  const last = items.at(-1)?.agent.hard.agentId;
  return { items, nextCursor: found.length > items.length && last !== undefined ? last : null };
}

function isWanted({ agent: { hard } }: AgentRow, { health, group, text, hasIncident }: AgentQuery): boolean {
  if (health !== undefined && hard.health !== health) return false;
  if (group !== undefined && hard.group !== group) return false;
  if (hasIncident !== undefined && (hard.incident !== undefined) !== hasIncident) return false;
  if (text === undefined) return true;
  const wanted = lowerAscii(text);
  return [hard.agentId, hard.role, hard.group].some((part) => lowerAscii(part).includes(wanted));
}

export function countByHealth(tables: Tables): Answer<'countByHealth'> {
  const counts: Record<string, number> = {};
  for (const { agent } of tables.agents.values()) {
    counts[agent.hard.health] = (counts[agent.hard.health] ?? 0) + 1;
  }
  return counts;
}

export function readEvents(tables: Tables, query: EventQuery): readonly StoredEvent[] {
  const { events } = tables;
  const found: StoredEvent[] = [];
  const first = firstAfter(events, query.after);
  const isBackwards = query.before !== undefined;
  const last = isBackwards ? firstAfter(events, (query.before ?? 0) - 1) - 1 : events.length - 1;
  for (let step = 0; step <= last - first && found.length < query.limit; step += 1) {
    const row = events[isBackwards ? last - step : first + step] as EventRow;
    if (query.agentId !== undefined && row.agentId !== query.agentId) continue;
    if (query.incidentId !== undefined && row.incidentId !== query.incidentId) continue;
    if (query.types !== undefined && !query.types.includes(row.event.type)) continue;
    const { cursor, correlationId, agentId, event } = row;
    found.push({ cursor, correlationId, agentId, event });
  }
  return found;
}

/** Binary search: cursors increase, though pruning leaves gaps. */
function firstAfter(events: readonly EventRow[], after: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as EventRow).cursor > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The oldest of each first; an open incident keeps what belongs to its agent. */
export function prune(tables: Tables, before: Cutoffs, limit: number): Answer<'prune'> {
  const hasIncident = (agentId: string) => tables.agents.get(agentId)?.agent.hard.incident !== undefined;
  const oldEvents = tables.events
    .filter((row) => row.event.at < before.events && !hasIncident(row.agentId))
    .sort((a, b) => a.event.at - b.event.at || a.cursor - b.cursor)
    .slice(0, limit);
  if (oldEvents.length > 0) {
    const gone = new Set(oldEvents);
    tables.events = tables.events.filter((row) => !gone.has(row));
  }
  const oldEffects = [...tables.effects.values()]
    .filter((row) => (row.settledAt ?? before.effects) < before.effects && !hasIncident(row.effect.agentId))
    .sort((a, b) => (a.settledAt ?? 0) - (b.settledAt ?? 0))
    .slice(0, limit - oldEvents.length);
  for (const { effect } of oldEffects) tables.effects.delete(effect.id);
  tables.effectChanges = tables.effectChanges.filter(({ at }) => at >= before.effects);
  const oldCheckpoints = [...tables.checkpoints]
    .filter(([agentId]) => !hasIncident(agentId))
    .flatMap(([, chain]) => chain.slice(0, -CHECKPOINTS_KEPT))
    .filter((checkpoint) => checkpoint.at < before.checkpoints)
    .sort((a, b) => a.at - b.at)
    .slice(0, limit - oldEvents.length - oldEffects.length);
  for (const gone of oldCheckpoints) {
    const chain = tables.checkpoints.get(gone.agentId) ?? [];
    tables.checkpoints.set(
      gone.agentId,
      chain.filter((checkpoint) => checkpoint !== gone),
    );
  }
  const removed = oldEvents.length + oldEffects.length + oldCheckpoints.length;
  const isOld = ({ id, revokedAt, createdAt }: StoredToken): boolean =>
    (revokedAt ?? before.tokens) < before.tokens ||
    (id.startsWith(SESSION_TOKEN_PREFIX) && createdAt < before.tokens);
  const oldTokens = [...tables.tokens.values()].filter(isOld).slice(0, limit - removed);
  for (const { id } of oldTokens) tables.tokens.delete(id);
  const oldLetters = [...tables.letters.values()]
    .filter(({ sentAt, to }) => sentAt < before.letters && !hasIncident(to))
    .sort((a, b) => a.sentAt - b.sentAt)
    .slice(0, limit - removed - oldTokens.length);
  for (const { letterId } of oldLetters) tables.letters.delete(letterId);
  const others = removed + oldTokens.length + oldLetters.length;
  const oldHours = [...tables.rollups]
    .filter(([agentId]) => !hasIncident(agentId))
    .flatMap(([agentId, tallies]) => [...tallies.keys()].map((hour) => ({ agentId, hour })))
    .filter(({ hour }) => hour < hourOf(before.rollups))
    .sort((a, b) => a.hour - b.hour || (a.agentId < b.agentId ? -1 : 1))
    .slice(0, limit - others);
  for (const { agentId, hour } of oldHours) tables.rollups.get(agentId)?.delete(hour);
  const pruned = others + oldHours.length + pruneBooks(tables, dayOf(before.rollups));
  return { pruned, hasMore: pruned >= limit };
}

function pruneBooks({ spending }: Tables, before: Instant): number {
  const days = [...spending].map(([place, rows]) => ({ place, rows, day: Number(place.split(' ')[0]) }));
  const first = Math.min(...days.map(({ day }) => day));
  const old = days.filter(({ day }) => day === first && day < before);
  for (const { place } of old) spending.delete(place);
  return old.reduce((sum, { rows }) => sum + rows.size, 0);
}

export function rollups(tables: Tables, ...[{ from, to, agentId }]: Arguments<'rollups'>): readonly Rollup[] {
  const found: Rollup[] = [];
  const ids = agentId === undefined ? [...tables.agents.keys()] : [agentId];
  for (const id of ids) {
    const row = tables.agents.get(id);
    if (!row) continue;
    for (const [hour, tally] of withRunning(tables, row, from, to)) {
      found.push({ hour, agentId: id, ...tally });
    }
  }
  return found.sort((a, b) => a.hour - b.hour || (a.agentId < b.agentId ? -1 : 1));
}

function withRunning(tables: Tables, row: AgentRow, from: Instant, to: Instant): Map<Instant, Tally> {
  const { agentId, health, healthSince } = row.agent.hard;
  const first = hourOf(from);
  const hours = new Map<Instant, Tally>();
  for (const [hour, tally] of tables.rollups.get(agentId) ?? []) {
    if (hour < first || hour >= to) continue;
    hours.set(hour, { ...emptyTally(), ...tally, stateMs: { ...tally.stateMs } });
  }
  addSpan(hours, { health, since: instant(Math.max(healthSince, first)) }, to);
  return hours;
}
