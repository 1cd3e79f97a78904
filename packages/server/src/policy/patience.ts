import type { Patience } from '@holter/core';
import type { PolicyProblem } from './check.ts';
import { DETECTION_FIELDS } from './detection-fields.ts';
import { AGENT_FIELDS, type Settings, WRITTEN_FIELDS } from './fields.ts';
import { type Layer, type Resolved, resolve } from './layers.ts';
import { isBroken, RELATIONS } from './relations.ts';

/**
 * What a `holter.yaml` in the working directory of a run may change. It came with somebody's code, so it may ask
 * for more patience with the agents that are started there, and for nothing else: each of these limits may become
 * longer, at most fourfold, unless the operator has set it. An allow-list, so that a setting added later is closed
 * until somebody opens it.
 */
const LIMITS = [
  'health_monitoring.heartbeat.timeout_seconds',
  'health_monitoring.health_check.checkpoint_stale_threshold_seconds',
  'health_monitoring.intervention.nudge.interval_seconds',
  'health_monitoring.intervention.escalation.timeout_seconds',
  'rules.inquiry_wait',
  'rules.checkpoint_warn',
  'rules.silence_warn',
  'rules.silence_act',
  'rules.silence_act_in_probation',
  'rules.freeze_flat',
  'rules.freeze_stopped',
  'rules.failures_in_row_max',
  'rules.task_stall',
  'rules.ack_urgent',
  'rules.ack_high',
  'rules.ack_normal',
  'rules.ack_low',
  'rules.handoff_wait',
] as const;

const PATIENT: ReadonlySet<string> = new Set<string>([
  ...LIMITS,
  ...Object.keys(DETECTION_FIELDS).filter((path) => /\.(?:warn|act)$/.test(path)),
]);

export const isPatienceSetting = (path: string): boolean => PATIENT.has(path);

const FACTOR_MAX = 4;
const BEAT_TIMEOUT = 'health_monitoring.heartbeat.timeout_seconds';

type Limits = Record<string, number>;

/** The settings with what the working directory asked for, as far as it may: bounded again whenever it is used. */
export function withPatience(layers: readonly Layer[], patience: Patience): Resolved {
  const { settings, sources } = resolve(layers);
  const before = settings as unknown as Limits;
  const after: Limits = { ...before };
  const raised: Record<string, string> = {};
  for (const [path, asked] of Object.entries(patience.settings)) {
    const limit = before[path];
    if (!isPatienceSetting(path) || typeof limit !== 'number' || isOperators(layers, path)) continue;
    const value = Math.min(asked, limit * FACTOR_MAX);
    if (value > limit) {
      after[path] = value;
      raised[path] = 'directory';
    }
  }
  // A longer warning must not carry a limit along that nobody asked to change.
  for (const relation of RELATIONS) {
    const { lower } = relation;
    if (raised[lower] === undefined || !isBroken(relation, after as unknown as Settings)) continue;
    after[lower] = before[lower] ?? 0;
    delete raised[lower];
  }
  // Where a profile counts misses, the count stands for the time.
  const missed = before.missed_threshold;
  if (raised[BEAT_TIMEOUT] !== undefined && missed !== undefined)
    after.missed_threshold = Math.ceil((missed * (after[BEAT_TIMEOUT] ?? 0)) / (before[BEAT_TIMEOUT] ?? 1));
  return { settings: after as unknown as Settings, sources: { ...sources, ...raised } };
}

/** What Holter ships has no place in a file. */
const isOperators = (layers: readonly Layer[], path: string): boolean => {
  const said = path === BEAT_TIMEOUT ? [path, 'missed_threshold'] : [path];
  return layers.some(({ paths }) =>
    said.some((key) => (paths as Record<string, unknown>)[key] !== undefined),
  );
};

type Asked = { readonly file: string; readonly settings: Readonly<Record<string, unknown>> };

/** Reads what a run sends, and says about each setting that does not hold as it was asked for why not. */
export function readPatience(
  layers: readonly Layer[],
  asked: Asked,
): { readonly patience: Patience; readonly refused: readonly PolicyProblem[] } {
  const settings: Limits = {};
  const refused: PolicyProblem[] = [];
  const refuse = (path: string, message: string): void => void refused.push({ path, message });
  for (const [path, raw] of Object.entries(asked.settings)) {
    if (!isPatienceSetting(path)) {
      refuse(path, notHere(path));
      continue;
    }
    const field = AGENT_FIELDS[path as (typeof LIMITS)[number]];
    const { value, problems } = field.read(raw, path);
    refused.push(...problems);
    if (value !== undefined && problems.length === 0) settings[path] = value;
  }
  const patience = { file: asked.file, settings };
  const before = resolve(layers).settings as unknown as Limits;
  const after = withPatience(layers, patience).settings as unknown as Limits;
  for (const [path, value] of Object.entries(settings)) {
    if (after[path] === value) continue;
    refuse(path, whyNot(path, value, before[path] ?? 0, after[path] ?? 0, isOperators(layers, path)));
  }
  return { patience, refused };
}

export const notHere = (path: string): string =>
  Object.hasOwn(WRITTEN_FIELDS, path)
    ? "can't be set in a working directory; write it into the operator's file"
    : "can't be set in a working directory, and is ignored";

function whyNot(path: string, asked: number, before: number, now: number, isOperator: boolean): string {
  const field = AGENT_FIELDS[path as (typeof LIMITS)[number]] as { show: (value: number) => unknown };
  const shown = String(field.show(now));
  if (isOperator) return `is set by the operator; ${shown} stays in force`;
  if (asked < before) return `can only be lengthened in a working directory; ${shown} stays in force`;
  if (now > before) return `can be at most ${FACTOR_MAX} times as long; ${shown} is in force`;
  return `would pass the limit that comes after it; ${shown} stays in force`;
}

/** What holds because of it, as an operator would write it. */
export function shownPatience(
  layers: readonly Layer[],
  patience: Patience,
): Readonly<Record<string, unknown>> {
  const { settings, sources } = withPatience(layers, patience);
  const paths = Object.keys(patience.settings).filter(
    (path) => (sources as Record<string, string>)[path] === 'directory',
  ) as (typeof LIMITS)[number][];
  return Object.fromEntries(
    paths.map((path) => [path, (AGENT_FIELDS[path].show as (value: unknown) => unknown)(settings[path])]),
  );
}
