import type { PolicyProblem, TableReading } from './check.ts';
import { ALIASES, defaultSettings, type OVERRIDE_FIELDS, type SettingKey, type Settings } from './fields.ts';
import { contradictions } from './progress-fields.ts';
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

type Written = TableReading<typeof OVERRIDE_FIELDS>;

/** What one section of the file says, with second names put where they belong. */
export function writtenLayer(
  from: LayerName,
  reading: Written,
): { readonly layer: Layer; readonly problems: readonly PolicyProblem[] } {
  const values: Record<string, unknown> = { ...reading.values };
  const paths: Record<string, string | undefined> = { ...reading.paths };
  const bad = new Set(reading.bad);
  const problems: PolicyProblem[] = [];
  for (const [alias, key] of Object.entries(ALIASES)) {
    const path = paths[alias];
    if (bad.has(alias)) bad.add(key);
    if (path === undefined) continue;
    if (paths[key] !== undefined)
      problems.push({ path, message: `is given twice: see ${paths[key]}; keep one` });
    values[key] = values[alias];
    paths[key] = path;
    delete values[alias];
    delete paths[alias];
  }
  if (paths.missed_threshold !== undefined && paths[BEAT_TIMEOUT] !== undefined) {
    problems.push({
      path: paths.missed_threshold,
      message: `says the same as ${paths[BEAT_TIMEOUT]}; keep one`,
    });
  }
  problems.push(...contradictions({ values, paths }));
  return { layer: { from, values, paths, bad }, problems };
}
