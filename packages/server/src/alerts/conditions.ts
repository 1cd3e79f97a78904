import {
  type AgentAlerts,
  type AlertTopic,
  type Condition,
  conditionsOf,
  type Hard,
  type Instant,
} from '@holter/core';
import type { EngagedBrake, EngineHealth } from '../engine/engine-options.ts';
import { alertsFor, alertsForGroup, type PolicySet } from '../policy/index.ts';
import { GRACE_SHARE_MAX } from '../upkeep/grace-alert.ts';
import type { AlertState } from './alert-state.ts';

type World = {
  /** Agents about which there may be something to tell. */
  readonly agents: ReadonlyMap<string, Hard>;
  readonly brakes: readonly EngagedBrake[];
  readonly health: Pick<EngineHealth, 'graceShare'>;
  readonly policies: PolicySet;
  readonly state: Pick<AlertState, 'channels' | 'windows'>;
};

/** A channel that failed this often in a row is told through the others. */
export const FAILURES_TOLD = 3;

/** Whether anything about this agent could be told, now or when time passes. */
export const isTelling = ({ incident, breakers, holds, derived, points }: Hard): boolean =>
  incident !== undefined ||
  breakers !== undefined ||
  holds.some(({ kind }) => kind === 'waiting-for-input' || kind === 'waiting-for-permission') ||
  [...derived, ...points].some(({ kind }) => kind === 'limit-exceeded');

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

/** What is wrong with Holter itself. A failing channel can't tell that it fails. */
function unwell({ health, policies, state }: World, at: Instant): readonly Condition[] {
  const { channels, severity } = alertsForGroup(policies, '').holter_unwell;
  const condition = (what: string, summary: string, since: Instant, names = channels): Condition => ({
    key: `holter_unwell/${what}`,
    topic: 'holter_unwell' satisfies AlertTopic,
    channels: names,
    severity,
    group: null,
    agentId: null,
    incidentId: null,
    summary,
    since,
  });
  const failing = Object.entries(state.channels).flatMap(([name, { failures, failedAt, failure }]) =>
    failures < FAILURES_TOLD || failedAt === undefined || !policies.channels.has(name)
      ? []
      : [
          condition(
            `channel/${name}`,
            `The channel ${name} does not deliver alerts: ${failure ?? 'no reason is known'}`,
            failedAt,
            channels.filter((each) => each !== name),
          ),
        ],
  );
  if (health.graceShare <= GRACE_SHARE_MAX) return failing;
  const summary =
    'Holter did not look for more than a tenth of the last hour: this machine sleeps, or is too busy';
  return [...failing, condition('grace', summary, at)];
}
