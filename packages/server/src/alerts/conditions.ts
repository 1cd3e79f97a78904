import {
  type AgentAlerts,
  type AlertTopic,
  type Condition,
  conditionsOf,
  type Hard,
  hours,
  type Instant,
} from '@holter/core';
import type { EngagedBrake, EngineHealth } from '../engine/engine-options.ts';
import { alertsFor, alertsForGroup, type PolicySet } from '../policy/index.ts';
import { BRAKE_LONG_MS, type PingState, type Trouble, troublesOf } from '../upkeep/index.ts';
import type { AlertState } from './alert-state.ts';
import { chainTrouble } from './chain-troubles.ts';

type World = {
  /** Agents about which there may be something to tell. */
  readonly agents: ReadonlyMap<string, Hard>;
  readonly brakes: readonly EngagedBrake[];
  readonly health: Pick<
    EngineHealth,
    'store' | 'storeReason' | 'lastTickAt' | 'graceShare' | 'lateServers' | 'estop'
  >;
  readonly ping: PingState | null;
  readonly hindrances: readonly string[];
  readonly judge: { readonly says: string; readonly since: Instant } | null;
  readonly policies: PolicySet;
  readonly state: Pick<AlertState, 'channels' | 'windows'>;
};

/** A channel that failed this often in a row is told through the others. */
export const FAILURES_TOLD = 3;

/** Whether anything about this agent could be told, now or when time passes. */
export const isTelling = (hard: Hard): boolean => isTellingOfItself(hard) || chainTrouble(hard) !== null;

const isTellingOfItself = ({ incident, breakers, holds, derived, points }: Hard): boolean =>
  incident !== undefined ||
  breakers !== undefined ||
  holds.some(({ kind }) => kind === 'waiting-for-input' || kind === 'waiting-for-permission') ||
  [...derived, ...points].some(({ kind }) => kind === 'limit-exceeded' || kind === 'budget');

/** Everything that people should know at this moment. */
export function conditionsAt(world: World, at: Instant): readonly Condition[] {
  const { agents, policies, state } = world;
  const braked = new Set(
    world.brakes.filter((brake) => isHolding(brake, policies, at)).map(({ group }) => group),
  );
  const inWindow = new Set(
    state.windows.filter(({ from, until }) => from <= at && at < until).map(({ group }) => group),
  );
  const conditions: Condition[] = [];
  for (const hard of agents.values()) {
    // Told as trouble of Holter itself.
    if (chainTrouble(hard)) continue;
    const why = whyInhibited(hard, agents, braked);
    for (const condition of conditionsOf(hard, alertsFor(policies, hard), at))
      conditions.push(why === null ? condition : { ...condition, inhibitedBy: why });
  }
  for (const group of braked)
    conditions.push(massFailure(group, alertsForGroup(policies, group), world.brakes));
  const quieted = conditions.map((each) =>
    each.group !== null && inWindow.has(each.group) ? { ...each, inhibitedBy: 'maintenance' } : each,
  );
  return [...quieted, ...unwell(world, at)];
}

/** Until what it held back is worked off: what is left then is told together. */
const isHolding = ({ releaseAt }: EngagedBrake, { fleet }: PolicySet, at: Instant): boolean =>
  releaseAt === null || at < releaseAt + 2 * fleet.brake.releaseEveryMs;

function whyInhibited(
  { group, reporter }: Hard,
  agents: ReadonlyMap<string, Hard>,
  braked: ReadonlySet<string>,
): string | null {
  if (braked.has(group)) return 'the mass failure of its group';
  const parent = reporter?.parent === undefined ? undefined : agents.get(reporter.parent);
  return parent?.incident ? `the incident of ${parent.agentId}` : null;
}

function massFailure(group: string, alerts: AgentAlerts, brakes: readonly EngagedBrake[]): Condition {
  const since = brakes.find((brake) => brake.group === group)?.engagedAt as Instant;
  return {
    key: `agent_failed/group/${group}`,
    topic: 'agent_failed',
    channels: alerts.agent_failed.channels,
    severity: 'critical',
    group,
    agentId: null,
    incidentId: null,
    summary: 'Many agents were lost at once: the monitor or the network is the suspect. Holter holds back.',
    since,
  };
}

/** Everything that is wrong with Holter itself. */
export function holterTroubles(
  { agents, health, brakes, ping, hindrances, judge, policies, state }: World,
  at: Instant,
): readonly Trouble[] {
  const channels = Object.entries(state.channels).flatMap(([name, { failures, failedAt, failure }]) =>
    failures < FAILURES_TOLD || failedAt === undefined || !policies.channels.has(name)
      ? []
      : [{ name, failedAt, failure: failure ?? 'no reason is known' }],
  );
  const holding = brakes.filter((brake) => isHolding(brake, policies, at));
  const chain = [...agents.values()].flatMap((hard) => chainTrouble(hard) ?? []);
  return troublesOf({ health, brakes: holding, channels, ping, hindrances, chain, judge }, at);
}

/** An outage of the store is told by `OutageAlert`. A failing channel can't tell that it fails. */
function unwell(world: World, at: Instant): readonly Condition[] {
  const { channels, severity } = alertsForGroup(world.policies, '').holter_unwell;
  return holterTroubles(world, at)
    .filter(({ kind, since }) => kind !== 'store' && (kind !== 'brake' || at - since >= BRAKE_LONG_MS))
    .map(({ kind, name, says, since }) => ({
      key: `holter_unwell/${name === null ? kind : `${kind}/${name}`}`,
      topic: 'holter_unwell' satisfies AlertTopic,
      channels: kind === 'channel' ? channels.filter((each) => each !== name) : channels,
      severity,
      group: null,
      agentId: null,
      incidentId: null,
      summary: says,
      since,
      // A person may forget it, and nothing is repaired meanwhile.
      ...(kind === 'estop' && { isLasting: true as const, repeatMs: hours(1) }),
    }));
}
