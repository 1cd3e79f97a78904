import { missedMax } from './build.ts';
import { DETECTION_PAIRS } from './detection-fields.ts';
import { AGENT_FIELDS, type SettingKey, type Settings } from './fields.ts';
import { ranges } from './ranges.ts';

/** Settings that only make sense together: the lower one must lie below the upper one. */
type Relation = {
  readonly lower: NumberKey;
  readonly upper: NumberKey;
  readonly isStrict: boolean;
  /** A default on the lower side gives way to a written upper one, in proportion. */
  readonly canLowerGiveWay: boolean;
};

type NumberKey = { [K in SettingKey]: Required<Settings>[K] extends number ? K : never }[SettingKey];

const BEAT_INTERVAL = 'health_monitoring.heartbeat.interval_seconds';
const BEAT_TIMEOUT = 'health_monitoring.heartbeat.timeout_seconds';

const below = (lower: NumberKey, upper: NumberKey): Relation => ({
  lower,
  upper,
  isStrict: true,
  canLowerGiveWay: true,
});
const atMost = (lower: NumberKey, upper: NumberKey): Relation => ({
  lower,
  upper,
  isStrict: false,
  canLowerGiveWay: true,
});

export const RELATIONS: readonly Relation[] = [
  // How often an agent beats is a promise of the agent: Holter does not bend it to fit a time-out.
  { lower: BEAT_INTERVAL, upper: BEAT_TIMEOUT, isStrict: false, canLowerGiveWay: false },
  below('rules.checkpoint_warn', 'health_monitoring.health_check.checkpoint_stale_threshold_seconds'),
  below('rules.silence_warn', 'rules.silence_act'),
  // In probation a successor is watched more closely, never less.
  atMost('rules.silence_act_in_probation', 'rules.silence_act'),
  // A successor that says nothing must not pass its probation by that.
  atMost('rules.silence_act_in_probation', 'rules.probation'),
  // Equal edges would flap.
  below('rules.error_rate_clear', 'rules.error_rate_max'),
  atMost('rules.error_calls_min', 'rules.error_window_calls'),
  atMost('rules.slack_min', 'rules.slack_max'),
  ...DETECTION_PAIRS.map(([warn, act]) => below(warn, act)),
];

export function isBroken(relation: Relation, settings: Settings): boolean {
  // A count of misses stands in for the time-out.
  if (relation.upper === BEAT_TIMEOUT && settings.missed_threshold !== undefined) return false;
  const lower = settings[relation.lower];
  const upper = settings[relation.upper];
  if (lower === undefined || upper === undefined) return false;
  return relation.isStrict ? lower >= upper : lower > upper;
}

type RelationProblem = {
  readonly keys: readonly SettingKey[];
  /** What to say at a key, depending on which of them was written. */
  readonly messageAt: (key: SettingKey) => string;
};

export type Sources = Partial<Readonly<Record<SettingKey, string>>>;

export function relationProblems(settings: Settings, sources: Sources): readonly RelationProblem[] {
  const told = (key: NumberKey): string => `${key} (${show(key, settings)}, ${sources[key] ?? 'default'})`;
  const problems: RelationProblem[] = RELATIONS.filter((relation) => isBroken(relation, settings)).map(
    ({ lower, upper, isStrict }) => ({
      keys: [upper, lower],
      messageAt: (key) =>
        key === upper
          ? `must be ${isStrict ? 'more than' : 'at least'} ${told(lower)}, not ${show(upper, settings)}`
          : `must be ${isStrict ? 'less than' : 'at most'} ${told(upper)}, not ${show(lower, settings)}`,
    }),
  );
  if (settings.missed_threshold === undefined && missedMax(settings) > ranges.missed.max) {
    problems.push({
      keys: [BEAT_TIMEOUT, BEAT_INTERVAL],
      messageAt: (key) =>
        `the time-out must be ${ranges.missed.min} to ${ranges.missed.max} intervals, not ${missedMax(settings)}: ` +
        `see ${told(key === BEAT_TIMEOUT ? BEAT_INTERVAL : BEAT_TIMEOUT)}`,
    });
  }
  return problems;
}

function show(key: NumberKey, settings: Settings): string {
  const value = settings[key];
  if (key === 'missed_threshold' || key === 'slack_seconds') return String(value);
  return String((AGENT_FIELDS[key].show as (shown: unknown) => unknown)(value));
}
