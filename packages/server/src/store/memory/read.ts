import type { Instant } from '@holter/core';
import { dayOf, instant } from '@holter/core';
import { CHECKPOINTS_KEPT, lowerAscii, SESSION_TOKEN_PREFIX, startTokenPrefix } from '../facts.ts';
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
  const rows = others + oldHours.length + pruneBooks(tables, dayOf(before.rollups));
  const oldAgents = [...tables.agents.values()]
    .map(({ agent }) => agent.hard)
    .filter(({ agentId, at }) => at < before.agents && hasEnded(tables, agentId))
    .sort((a, b) => a.at - b.at || (a.agentId < b.agentId ? -1 : 1))
    .slice(0, Math.max(0, limit - rows));
  const pruned =
    rows +
    removeEnded(
      tables,
      oldAgents.map(({ agentId }) => agentId),
    );
  return { pruned, hasMore: pruned >= limit };
}

/** For good: without an incident, an effect that is not settled or a ping key. */
function hasEnded({ agents, effects, tokens }: Tables, agentId: string): boolean {
  const hard = agents.get(agentId)?.agent.hard;
  if (!hard?.end || hard.health !== 'TERMINATED' || hard.incident) return false;
  const isOpen = [...effects.values()].some(
    (row) => row.effect.agentId === agentId && row.settledAt === null,
  );
  const hasKey = [...tokens.values()].some(
    (token) => token.agentId === agentId && token.id.startsWith('ping:') && token.revokedAt === null,
  );
  return !isOpen && !hasKey;
}

export function removeEnded(tables: Tables, agentIds: readonly string[]): number {
  const gone = agentIds.filter((agentId) => hasEnded(tables, agentId));
  for (const agentId of gone) {
    tables.agents.delete(agentId);
    tables.dueClaims.delete(agentId);
    tables.finalStates.delete(agentId);
    tables.checkpoints.delete(agentId);
    for (const { effect } of [...tables.effects.values()])
      if (effect.agentId === agentId) tables.effects.delete(effect.id);
    for (const { id, agentId: of } of [...tables.tokens.values()])
      if (of === agentId && id.startsWith(startTokenPrefix(agentId))) tables.tokens.delete(id);
  }
  return gone.length;
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
  const ids =
    agentId === undefined ? new Set([...tables.agents.keys(), ...tables.rollups.keys()]) : [agentId];
  for (const id of ids) {
    for (const [hour, tally] of withRunning(tables, id, from, to)) {
      found.push({ hour, agentId: id, ...tally });
    }
  }
  return found.sort((a, b) => a.hour - b.hour || (a.agentId < b.agentId ? -1 : 1));
}

function withRunning(tables: Tables, agentId: string, from: Instant, to: Instant): Map<Instant, Tally> {
  const hard = tables.agents.get(agentId)?.agent.hard;
  const first = hourOf(from);
  const hours = new Map<Instant, Tally>();
  for (const [hour, tally] of tables.rollups.get(agentId) ?? []) {
    if (hour < first || hour >= to) continue;
    hours.set(hour, { ...emptyTally(), ...tally, stateMs: { ...tally.stateMs } });
  }
  if (hard) addSpan(hours, { health: hard.health, since: instant(Math.max(hard.healthSince, first)) }, to);
  return hours;
}
