import { StoreUnavailable } from '../../store/store.ts';
import type { HttpDeps } from '../deps.ts';
import type { FleetBook } from './fleet-book.ts';
import type { FleetEntry } from './fleet-entry.ts';

/** The worst first. All are exported, so that a state without agents shows as 0 and not as a gap. */
const states = ['FAILING', 'STUCK', 'DEGRADED', 'HEALTHY', 'TERMINATED'] as const;

/** Groups with series of their own; the largest come first. */
const GROUPS_MAX = 100;
/** Stands for all other groups; no group can have this name. */
const OTHER_GROUPS = '(other)';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

type GroupFacts = {
  group: string;
  size: number;
  readonly byState: Record<string, number>;
  incidents: number;
  needYou: number;
  isBraked: boolean;
};

/**
 * Series with groups and, if the operator wants them, agents as labels: a bounded number of each. Written by hand,
 * so that one pass over the fleet gives all of them.
 */
export async function fleetMetrics({ engine }: HttpDeps, fleet: FleetBook): Promise<string> {
  const { isPerAgent, agentsMax } = engine.currentPolicies.operations.metrics;
  try {
    await fleet.ready();
    if (isPerAgent)
      await fleet.refresh(
        livingAgents(fleet.all())
          .slice(0, agentsMax)
          .map(({ agentId }) => agentId),
      );
  } catch (error) {
    // A server that can't read its store still tells so.
    if (error instanceof StoreUnavailable) return '';
    throw error;
  }
  const { byState: all } = fleet.counts();
  const groups = groupsOf(fleet.all(), new Set(engine.brakes.map(({ group }) => group)));
  const agents = isPerAgent ? livingAgents(fleet.all()) : [];
  const shown = agents.slice(0, agentsMax);
  const perGroup = (read: (facts: GroupFacts) => number): readonly Sample[] =>
    groups.map((facts) => [{ group: facts.group }, read(facts)]);
  const perAgent = (read: (entry: FleetEntry) => number): readonly Sample[] =>
    shown.map((entry) => [{ agent: entry.agentId, group: entry.group }, read(entry)]);
  return [
    gauge(
      'holter_agents',
      'Agents, by health state.',
      states.map((state) => [{ state }, all[state] ?? 0]),
    ),
    gauge(
      'holter_group_agents',
      'Agents, by group and health state.',
      groups.flatMap(({ group, byState }) =>
        states.map((state): Sample => [{ group, state }, byState[state] ?? 0]),
      ),
    ),
    gauge(
      'holter_group_incidents',
      'Open incidents, by group.',
      perGroup(({ incidents }) => incidents),
    ),
    gauge(
      'holter_group_need_you',
      'Agents that wait for a person, by group.',
      perGroup(({ needYou }) => needYou),
    ),
    gauge(
      'holter_group_braked',
      '1 while the mass-failure brake holds back acts, by group.',
      perGroup(({ isBraked }) => (isBraked ? 1 : 0)),
    ),
    gauge(
      'holter_agent_state',
      '1 for the state of an agent that has not ended, by agent, group and state; with `metrics.per_agent`.',
      shown.map(({ agentId, group, state }) => [{ agent: agentId, group, state }, 1]),
    ),
    gauge(
      'holter_agent_beat_time_seconds',
      'Time of the last beat, by agent and group; with `metrics.per_agent`.',
      perAgent(({ beatAt }) => beatAt / 1_000).filter(([, at]) => at > 0),
    ),
    gauge(
      'holter_agent_incidents',
      'Open incidents, by agent and group; with `metrics.per_agent`.',
      perAgent(({ hasIncident }) => (hasIncident ? 1 : 0)),
    ),
    gauge(
      'holter_agents_not_exported',
      'Agents above `metrics.agents_max`, which have no series of their own.',
      [[{}, agents.length - shown.length]],
    ),
  ].join('');
}

function groupsOf(entries: Iterable<FleetEntry>, braked: ReadonlySet<string>): readonly GroupFacts[] {
  const byName = new Map<string, GroupFacts>();
  for (const { group, state, hasIncident, needsYouSince } of entries) {
    const facts = byName.get(group) ?? emptyFacts(group, braked.has(group));
    byName.set(group, facts);
    facts.size += 1;
    facts.byState[state] = (facts.byState[state] ?? 0) + 1;
    if (hasIncident) facts.incidents += 1;
    if (needsYouSince > 0) facts.needYou += 1;
  }
  const largest = [...byName.values()].sort((a, b) => b.size - a.size || (a.group < b.group ? -1 : 1));
  const rest = largest.splice(GROUPS_MAX);
  return rest.length === 0 ? largest : [...largest, rest.reduce(added, emptyFacts(OTHER_GROUPS, false))];
}

const emptyFacts = (group: string, isBraked: boolean): GroupFacts => ({
  group,
  size: 0,
  byState: {},
  incidents: 0,
  needYou: 0,
  isBraked,
});

function added(sum: GroupFacts, { size, byState, incidents, needYou, isBraked }: GroupFacts): GroupFacts {
  for (const state of states) sum.byState[state] = (sum.byState[state] ?? 0) + (byState[state] ?? 0);
  sum.size += size;
  sum.incidents += incidents;
  sum.needYou += needYou;
  sum.isBraked ||= isBraked;
  return sum;
}

/** Those in trouble first, else by name, so that the same agents are exported every time. */
function livingAgents(entries: Iterable<FleetEntry>): readonly FleetEntry[] {
  const living = [...entries].filter(({ state }) => state !== 'TERMINATED');
  const rank = ({ state }: FleetEntry): number => states.indexOf(state);
  return living.sort((a, b) => rank(a) - rank(b) || (a.sortKey < b.sortKey ? -1 : 1));
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${shownLabels(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}\n`;
}

function shownLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
