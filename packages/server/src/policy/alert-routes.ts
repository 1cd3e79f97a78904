import { type AgentAlerts, ALERT_TOPICS, type AlertRoute, type AlertTopic } from '@holter/core';
import type { WrittenChannel } from './channel-fields.ts';
import type { PolicyProblem } from './check.ts';
import type { Settings } from './fields.ts';
import { type Layer, resolve } from './layers.ts';
import { type Layers, layersFor, type PolicySet } from './policy-set.ts';

type Who = { readonly role: string; readonly agentId: string; readonly group: string };

const ORCHESTRATOR = 'health_monitoring.alerting.stuck_agent.orchestrator' as const;

const known = new WeakMap<PolicySet, Map<string, AgentAlerts>>();

/** Where the alerts of one agent go: only channels that are defined. */
export function alertsFor(set: PolicySet, { role, agentId, group }: Who): AgentAlerts {
  const { agents, groups } = set.layers;
  const key = JSON.stringify([role, groups.has(group) ? group : null, agents.has(agentId) ? agentId : null]);
  const made = known.get(set) ?? new Map<string, AgentAlerts>();
  known.set(set, made);
  const found = made.get(key);
  if (found) return found;
  const alerts = buildAlerts(resolve(layersFor(set.layers, role, agentId, group)).settings, set);
  made.set(key, alerts);
  return alerts;
}

/** Where alerts about Holter itself and about whole groups go. */
export const alertsForGroup = (set: PolicySet, group: string): AgentAlerts =>
  alertsFor(set, { role: '', agentId: '', group });

function buildAlerts(settings: Settings, { channels, layers }: PolicySet): AgentAlerts {
  const defined = [...channels.keys()];
  const orchestrators = new Set(allLayers(layers).flatMap(({ values }) => values[ORCHESTRATOR] ?? []));
  const route = (topic: AlertTopic): AlertRoute => {
    const named = settings[`health_monitoring.alerting.${topic}.channels`];
    return {
      channels: defined.filter((name) => (named === 'all' ? !orchestrators.has(name) : named.includes(name))),
      severity: settings[`health_monitoring.alerting.${topic}.severity`],
    };
  };
  const routes = Object.fromEntries(ALERT_TOPICS.map((topic) => [topic, route(topic)]));
  return {
    ...(routes as Record<AlertTopic, AlertRoute>),
    when: settings['health_monitoring.alerting.stuck_agent.when'],
    orchestrator: defined.filter((name) => settings[ORCHESTRATOR].includes(name)),
    waitMs: settings['health_monitoring.alerting.waiting_for_person.after'],
  };
}

/** Channels that an alert names and nobody has defined: its alerts do not go there. */
export function undefinedChannels(
  layers: Layers,
  channels: ReadonlyMap<string, WrittenChannel>,
): readonly PolicyProblem[] {
  const keys = ALERT_TOPICS.map((topic) => `health_monitoring.alerting.${topic}.channels` as const);
  return allLayers(layers).flatMap((layer) =>
    [...keys, ORCHESTRATOR].flatMap((key) => missingIn(layer, key, channels)),
  );
}

const allLayers = ({ base, profiles, groups, agents }: Layers): readonly Layer[] => [
  ...base,
  ...[...profiles.values()].flat(),
  ...groups.values(),
  ...agents.values(),
];

function missingIn(
  { values, paths }: Layer,
  key: typeof ORCHESTRATOR | `health_monitoring.alerting.${AlertTopic}.channels`,
  channels: ReadonlyMap<string, WrittenChannel>,
): readonly PolicyProblem[] {
  const [named, path] = [values[key], paths[key]];
  if (named === undefined || named === 'all' || path === undefined) return [];
  const missing = named.filter((name) => !channels.has(name));
  if (missing.length === 0) return [];
  const message = `names ${missing.join(', ')}, which is not defined under channels: these alerts go nowhere`;
  return [{ path, message }];
}
