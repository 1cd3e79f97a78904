import { HEALTH_RANK } from '@holter/core';
import type { FleetEntry } from './fleet-entry.ts';

export const FLEET_SORTS = [
  'worst',
  'attention',
  'name',
  'group',
  'beat',
  'tokens',
  'cost',
  'since',
] as const;
type FleetSort = (typeof FLEET_SORTS)[number];
/** Orders that every beat may change; the others hold until an agent's state or incident changes. */
export const LIVELY_SORTS: ReadonlySet<FleetSort> = new Set(['beat', 'tokens', 'cost']);

export type FleetQuery = {
  readonly state?: string | undefined;
  readonly group?: string | undefined;
  readonly q?: string | undefined;
  readonly agentId?: string | undefined;
  /** Of more agents than this, those that are well or have ended are left out, unless they need somebody. */
  readonly foldAbove?: number | undefined;
  readonly sort: FleetSort;
};

type Compare = (a: FleetEntry, b: FleetEntry) => number;

/** What has ended needs nobody, however bad it was. */
const rankOf = ({ state }: FleetEntry): number => (state === 'TERMINATED' ? -1 : HEALTH_RANK[state]);
const byName: Compare = (a, b) =>
  a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : a.agentId < b.agentId ? -1 : 1;

/** Ties are always broken by name, so that rows do not change places without a reason. */
const compares: Readonly<Record<FleetSort, Compare>> = {
  // Whoever has been in trouble longest stands first, and stays there.
  worst: (a, b) =>
    rankOf(b) - rankOf(a) ||
    Number(b.needsPerson) - Number(a.needsPerson) ||
    Number(b.hasIncident) - Number(a.hasIncident) ||
    (rankOf(a) > 0 ? a.stateSince - b.stateSince : 0) ||
    byName(a, b),
  attention: (a, b) => Number(b.needsYouSince > 0) - Number(a.needsYouSince > 0) || compares.worst(a, b),
  name: byName,
  group: (a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : byName(a, b)),
  beat: (a, b) => a.heardAt - b.heardAt || byName(a, b),
  tokens: (a, b) => b.tokens - a.tokens || byName(a, b),
  cost: (a, b) => b.costUsd - a.costUsd || byName(a, b),
  since: (a, b) => b.stateSince - a.stateSince || byName(a, b),
};

/** `folded`: how many were left out. */
export type FleetOrder = { readonly ids: readonly string[]; readonly folded: number };

export function orderOf(entries: Iterable<FleetEntry>, query: FleetQuery): FleetOrder {
  const { state, group, q, agentId, foldAbove, sort } = query;
  const wanted = q === undefined || q === '' ? null : q.toLowerCase();
  const found: FleetEntry[] = [];
  for (const entry of entries) {
    if (agentId !== undefined && entry.agentId !== agentId) continue;
    if (state !== undefined && entry.state !== state) continue;
    if (group !== undefined && entry.group !== group) continue;
    if (wanted !== null && !entry.text.includes(wanted)) continue;
    found.push(entry);
  }
  const isFolded = foldAbove !== undefined && found.length > foldAbove;
  const shown = isFolded ? found.filter(isTrouble) : found;
  const ids = shown.sort(compares[sort]).map(({ agentId }) => agentId);
  return { ids, folded: found.length - ids.length };
}

const isTrouble = ({ state, hasIncident, needsYouSince }: FleetEntry): boolean =>
  (state !== 'HEALTHY' && state !== 'TERMINATED') || hasIncident || needsYouSince > 0;
