import {
  type FleetPolicy,
  type Hard,
  type Patience,
  type Policy,
  type PriceTable,
  seconds,
  slackOf,
} from '@holter/core';
import { buildBeat, buildPolicy, type SharedPolicy } from './build.ts';
import type { WrittenChannel } from './channel-fields.ts';
import type { PolicyProblem } from './check.ts';
import { AGENT_FIELDS, type SettingKey } from './fields.ts';
import type { JudgeSettings } from './judge-fields.ts';
import { type Layer, type LayerName, type Resolved, resolve } from './layers.ts';
import type { Network } from './network-fields.ts';
import type { Operations } from './operations-fields.ts';
import { readPatience, shownPatience, withPatience } from './patience.ts';
import type { Quotas } from './quota-fields.ts';
import { relationProblems } from './relations.ts';
import { SHARED_FIELDS, type SharedSettings } from './shared-fields.ts';
import type { TownCommands } from './town-fields.ts';

/** A whole configuration, checked and compiled: ask `policyFor` for one agent's numbers. */
export type PolicySet = SharedPolicy & {
  readonly fleet: FleetPolicy;
  /** As the operator wrote them, without those that Holter ships. */
  readonly prices: PriceTable;
  readonly quotas: Quotas;
  readonly operations: Operations;
  readonly town: TownCommands;
  readonly judge: JudgeSettings;
  readonly network: Network;
  /** Where alerts can be sent, as written. */
  readonly channels: ReadonlyMap<string, WrittenChannel>;
  readonly publicUrl: string | null;
  /** Where the data is, as written. */
  readonly database: string;
  /** What is allowed, but does not do what its words say. */
  readonly warnings: readonly PolicyProblem[];
  readonly layers: Layers;
  /** Made once: most agents differ by their role only. */
  readonly byRole: ReadonlyMap<string, Policy>;
  readonly withoutRole: Policy;
  readonly shared: { readonly settings: SharedSettings; readonly written: ReadonlySet<string> };
};

export type Layers = {
  /** Widest first: what Holter ships, what the operator wrote for everybody. */
  readonly base: readonly Layer[];
  /** What Holter ships for a role, and what the operator wrote over it. */
  readonly profiles: ReadonlyMap<string, readonly Layer[]>;
  readonly groups: ReadonlyMap<string, Layer>;
  readonly agents: ReadonlyMap<string, Layer>;
};

/**
 * The narrower word wins: default, config, profile of the role, group, agent. The working directory of a run may
 * lengthen what nobody but Holter has set.
 */
export function policyFor(
  set: PolicySet,
  role: string,
  agentId: string,
  group?: string,
  patience?: Patience,
): Policy {
  if (patience !== undefined)
    return patientPolicy(set, patience, layersFor(set.layers, role, agentId, group));
  const isOnlyRole =
    !set.layers.agents.has(agentId) && (group === undefined || !set.layers.groups.has(group));
  if (isOnlyRole) return set.byRole.get(role) ?? set.withoutRole;
  return buildPolicy(resolve(layersFor(set.layers, role, agentId, group)).settings, set);
}

export const policyOfAgent = (
  set: PolicySet,
  { role, agentId, group, patience }: Pick<Hard, 'role' | 'agentId' | 'group' | 'patience'>,
): Policy => policyFor(set, role, agentId, group, patience);

/** Made once for each start: the object stays the same while its agent is in memory. */
const patientPolicies = new WeakMap<Patience, { readonly set: PolicySet; readonly policy: Policy }>();

function patientPolicy(set: PolicySet, patience: Patience, layers: readonly Layer[]): Policy {
  const known = patientPolicies.get(patience);
  if (known?.set === set) return known.policy;
  const policy = buildPolicy(withPatience(layers, patience).settings, set);
  patientPolicies.set(patience, { set, policy });
  return policy;
}

type Who = { readonly role: string; readonly agentId: string; readonly group: string };

/** What the working directory of a run asks for, checked for the agent that is started there. */
export const checkPatience = (
  { layers }: PolicySet,
  { role, agentId, group }: Who,
  asked: Parameters<typeof readPatience>[1],
): ReturnType<typeof readPatience> => readPatience(layersFor(layers, role, agentId, group), asked);

/** What is in force because of it. */
export const patienceInForce = (
  { layers }: PolicySet,
  { role, agentId, group }: Who,
  patience: Patience,
): Readonly<Record<string, unknown>> => shownPatience(layersFor(layers, role, agentId, group), patience);

/**
 * Where layers that are sound each by itself cross for this one agent. Its policy is then the patient
 * reading of both (see `buildPolicy`); whoever registers the agent should say so in the log.
 */
export function crossings(set: PolicySet, role: string, agentId: string, group?: string): readonly string[] {
  const { settings, sources } = resolve(layersFor(set.layers, role, agentId, group));
  return relationProblems(settings, sources).map(({ keys, messageAt }) => {
    const [key] = keys as readonly [SettingKey];
    return `${key} ${messageAt(key)}`;
  });
}

export function layersFor(layers: Layers, role: string, agentId: string, group?: string): readonly Layer[] {
  const ofGroup = group === undefined ? undefined : layers.groups.get(group);
  const ofAgent = layers.agents.get(agentId);
  return [
    ...layers.base,
    ...(layers.profiles.get(role) ?? []),
    ...(ofGroup === undefined ? [] : [ofGroup]),
    ...(ofAgent === undefined ? [] : [ofAgent]),
  ];
}

/** `value` is as an operator would write it. */
export type Explanation = { readonly path: string; readonly value: unknown; readonly from: LayerName };

/** Every setting of one agent, with who said so: first its own, then those that all agents share. */
export function explain(
  set: PolicySet,
  role: string,
  agentId: string,
  group?: string,
): readonly Explanation[] {
  const resolved = resolve(layersFor(set.layers, role, agentId, group));
  const own = (Object.keys(AGENT_FIELDS) as (keyof typeof AGENT_FIELDS)[]).map((path) => ({
    path,
    value: (AGENT_FIELDS[path].show as (value: unknown) => unknown)(resolved.settings[path]),
    from: sourceOf(resolved, [path]),
  }));
  const shared = (Object.keys(SHARED_FIELDS) as (keyof typeof SHARED_FIELDS)[]).map((path) => ({
    path,
    value: (SHARED_FIELDS[path].show as (value: unknown) => unknown)(set.shared.settings[path]),
    from: set.shared.written.has(path) ? ('config' as const) : ('default' as const),
  }));
  return [...own, ...derived(resolved), ...shared];
}

/** What follows from the interval unless somebody said it. */
function derived(resolved: Resolved): readonly Explanation[] {
  const { settings } = resolved;
  const interval: SettingKey = 'health_monitoring.heartbeat.interval_seconds';
  const timeout: SettingKey = 'health_monitoring.heartbeat.timeout_seconds';
  const missedFrom: readonly SettingKey[] =
    settings.missed_threshold === undefined ? [timeout, interval] : ['missed_threshold'];
  const slackFrom: readonly SettingKey[] =
    settings.slack_seconds === undefined ? [interval, 'rules.slack_share'] : ['slack_seconds'];
  const beat = buildBeat(settings);
  const slack = slackOf(beat.intervalMs, beat);
  return [
    { path: 'missed_threshold', value: beat.missedMax, from: sourceOf(resolved, missedFrom) },
    { path: 'slack_seconds', value: slack / seconds(1), from: sourceOf(resolved, slackFrom) },
  ];
}

/** The first of these that somebody other than Holter has set. */
function sourceOf(resolved: Resolved, keys: readonly SettingKey[]): LayerName {
  const from = keys
    .map((key) => resolved.sources[key])
    .find((source) => source !== undefined && source !== 'default');
  return (from ?? 'default') as LayerName;
}
