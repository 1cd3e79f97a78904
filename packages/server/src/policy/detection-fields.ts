import { type DetectionPolicy, defaultDetectionPolicy } from '@holter/core';
import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { count, duration, names } from './readers.ts';

const times = count(ranges.detections);

/** Detectors whose thresholds an operator may set, by their key in `detect/policy.ts` in snake case. */
export const DETECTION_WITH_BOTH = [
  'repeated_call',
  'call_cycle',
  'same_error',
  'flat_failure',
  'zero_diversity',
  'unknown_tool',
  'poll',
  'repeated_text',
  'monologue',
  'empty_replies',
  'compaction_loop',
] as const;

type WithBoth = (typeof DETECTION_WITH_BOTH)[number];
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

const camel = <Name extends WithBoth>(name: Name): Camel<Name> =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<Name>;

/** One value for each of them, under the names that `entriesOf` gives it. */
const forEachWithBoth = <Values>(
  entriesOf: (name: WithBoth) => readonly (readonly [string, unknown])[],
): Values => Object.fromEntries(DETECTION_WITH_BOTH.flatMap(entriesOf)) as Values;

type Both<Value> = { readonly [Key in `detection.${WithBoth}.${'warn' | 'act'}`]: Value };

export const DETECTION_FIELDS = {
  ...forEachWithBoth<Both<typeof times>>((name) => [
    [`detection.${name}.warn`, times],
    [`detection.${name}.act`, times],
  ]),
  'detection.near_duplicate.warn': times,
  'detection.spaced': duration(ranges.threshold),
  'detection.pollers': names(ranges.pollers, /^[\w.:/-]{1,120}$/),
} as const satisfies Table;

type DetectionSettings = Values<typeof DETECTION_FIELDS>;

export function buildDetection(settings: DetectionSettings): DetectionPolicy {
  const shipped = defaultDetectionPolicy;
  return {
    ...shipped,
    ...forEachWithBoth<Pick<DetectionPolicy, Camel<WithBoth>>>((name) => {
      const warn = settings[`detection.${name}.warn`];
      const act = settings[`detection.${name}.act`];
      return [[camel(name), { ...shipped[camel(name)], warn, act }]];
    }),
    nearDuplicate: { warn: settings['detection.near_duplicate.warn'] },
    spacedMs: settings['detection.spaced'],
    pollers: settings['detection.pollers'],
  };
}

export function defaultDetectionSettings(): DetectionSettings {
  const shipped = defaultDetectionPolicy;
  return {
    ...forEachWithBoth<Both<number>>((name) => [
      [`detection.${name}.warn`, shipped[camel(name)].warn],
      [`detection.${name}.act`, shipped[camel(name)].act],
    ]),
    'detection.near_duplicate.warn': shipped.nearDuplicate.warn,
    'detection.spaced': shipped.spacedMs,
    'detection.pollers': shipped.pollers,
  };
}
