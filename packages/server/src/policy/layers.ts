import type { PolicyProblem, TableReading } from './check.ts';
import {
  type AGENT_FIELDS,
  defaultSettings,
  type OVERRIDE_FIELDS,
  type SettingKey,
  type Settings,
} from './fields.ts';
import { isBroken, RELATIONS, type Sources } from './relations.ts';

/** What one place in the configuration says; later layers win over earlier ones, setting by setting. */
export type Layer = {
  readonly from: LayerName;
  readonly values: Partial<Settings>;
  /** Where each value was written, for messages; nothing for what Holter ships. */
  readonly paths: Partial<Readonly<Record<SettingKey, string>>>;
  readonly bad: ReadonlySet<string>;
};

export type LayerName = 'default' | 'config' | `profile ${string}` | `group ${string}` | `agent ${string}`;

export const DEFAULT_LAYER: Layer = { from: 'default', values: defaultSettings(), paths: {}, bad: new Set() };

export type Resolved = { readonly settings: Settings; readonly sources: Sources };

const BEAT_INTERVAL = 'health_monitoring.heartbeat.interval_seconds';
const BEAT_TIMEOUT = 'health_monitoring.heartbeat.timeout_seconds';

/** All layers on top of each other, widest first; remembers who said what. */
export function resolve(layers: readonly Layer[]): Resolved {
  const settings: { -readonly [K in SettingKey]?: Settings[K] } = {};
  const sources: { [K in SettingKey]?: string } = {};
  for (const layer of layers) {
    // The narrower word about silence wins, whichever way it is said.
    if (layer.values[BEAT_TIMEOUT] !== undefined) {
      delete settings.missed_threshold;
      delete sources.missed_threshold;
    }
    Object.assign(settings, layer.values);
    for (const key of Object.keys(layer.values) as SettingKey[]) sources[key] = layer.from;
  }
  return { settings: giveWay(settings as Settings, sources), sources };
}

/**
 * A default must not contradict what an operator wrote: who sets only the time at which Holter acts gets
 * the warning at the same fraction of it as by default, instead of an error about a key never heard of.
 */
function giveWay(settings: Settings, sources: Sources): Settings {
  let adjusted = settings;
  for (const relation of RELATIONS) {
    const { lower, upper, canLowerGiveWay } = relation;
    if (!canLowerGiveWay || sources[lower] !== 'default' || sources[upper] === 'default') continue;
    if (!isBroken(relation, adjusted)) continue;
    const lowerByDefault = DEFAULT_LAYER.values[lower] ?? 0;
    const share = lowerByDefault / (DEFAULT_LAYER.values[upper] ?? 1);
    const scaled = (adjusted[upper] ?? 0) * share;
    // Shares stay fractions; milliseconds and counts are whole.
    adjusted = { ...adjusted, [lower]: lowerByDefault < 1 ? scaled : Math.max(1, Math.floor(scaled)) };
  }
  return adjusted;
}

export function configLayer(reading: TableReading<typeof AGENT_FIELDS>): Layer {
  return { from: 'config', ...reading };
}

/** An override, with its short forms put where they belong. */
export function overrideLayer(
  from: LayerName,
  reading: TableReading<typeof OVERRIDE_FIELDS>,
): { readonly layer: Layer; readonly problems: readonly PolicyProblem[] } {
  const { interval_seconds: interval, ...values } = reading.values;
  const { interval_seconds: intervalPath, ...paths } = reading.paths;
  const problems: PolicyProblem[] = [];
  if (intervalPath !== undefined && paths[BEAT_INTERVAL] !== undefined) {
    problems.push({ path: intervalPath, message: `is given twice: see ${paths[BEAT_INTERVAL]}; keep one` });
  }
  if (paths.missed_threshold !== undefined && paths[BEAT_TIMEOUT] !== undefined) {
    problems.push({
      path: paths.missed_threshold,
      message: `says the same as ${paths[BEAT_TIMEOUT]}; keep one`,
    });
  }
  const layer: Layer = {
    from,
    values: interval === undefined ? values : { ...values, [BEAT_INTERVAL]: interval },
    paths: intervalPath === undefined ? paths : { ...paths, [BEAT_INTERVAL]: intervalPath },
    bad: reading.bad.has('interval_seconds') ? new Set([...reading.bad, BEAT_INTERVAL]) : reading.bad,
  };
  return { layer, problems };
}
