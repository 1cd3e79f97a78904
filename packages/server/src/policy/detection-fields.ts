import { type DetectionPolicy, defaultDetectionPolicy } from '@holter/core';
import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { amount, count, duration, names } from './readers.ts';
import { type Snake, snake } from './snake.ts';

const shipped = defaultDetectionPolicy;
const times = count(ranges.detections);

/** The thresholds of an agent's steps: all that count something. `context` is in shares. */
export type LimitName = Exclude<
  {
    [K in keyof DetectionPolicy]: DetectionPolicy[K] extends { warn: number } ? K : never;
  }[keyof DetectionPolicy],
  'context'
>;
export type LimitEnd<Name extends LimitName> = keyof DetectionPolicy[Name] & ('warn' | 'act');
type LimitPath = { [N in LimitName]: `detection.${Snake<N>}.${LimitEnd<N>}` }[LimitName];

const hasWarn = (name: string, value: unknown): boolean =>
  name !== 'context' && typeof value === 'object' && value !== null && 'warn' in value;

const limitNames = (Object.keys(shipped) as LimitName[]).filter((name) => hasWarn(name, shipped[name]));

const pathOf = (name: LimitName, end: 'warn' | 'act') => `detection.${snake(name)}.${end}` as LimitPath;

const limits = limitNames.flatMap((name) =>
  (['warn', 'act'] as const)
    .filter((end) => end in shipped[name])
    .map((end) => ({ name, end, path: pathOf(name, end) })),
);

/** Paths of a warning and of the act that must come after it. */
export const DETECTION_PAIRS = limitNames
  .filter((name) => 'act' in shipped[name])
  .map((name) => [pathOf(name, 'warn'), pathOf(name, 'act')] as const);

const forEachLimit = <Value>(valueFor: (limit: (typeof limits)[number]) => Value) =>
  Object.fromEntries(limits.map((limit) => [limit.path, valueFor(limit)])) as Record<LimitPath, Value>;

export const DETECTION_FIELDS = {
  ...forEachLimit(() => times),
  'detection.spending.tokens': count(ranges.tokens),
  'detection.spending.cost_usd': amount(ranges.costUsd),
  'detection.spaced': duration(ranges.threshold),
  'detection.pollers': names(ranges.pollers, /^[\w.:/-]{1,120}$/),
} as const satisfies Table;

type DetectionSettings = Values<typeof DETECTION_FIELDS>;

export function buildDetection(settings: DetectionSettings): DetectionPolicy {
  const set: Record<string, object> = {};
  for (const { name, end, path } of limits)
    set[name] = { ...(set[name] ?? shipped[name]), [end]: settings[path] };
  return {
    ...shipped,
    ...set,
    spending: {
      tokensMax: settings['detection.spending.tokens'],
      costUsdMax: settings['detection.spending.cost_usd'],
    },
    spacedMs: settings['detection.spaced'],
    pollers: settings['detection.pollers'],
  };
}

export function defaultDetectionSettings(): DetectionSettings {
  return {
    ...forEachLimit(({ name, end }) => (shipped[name] as Record<string, number>)[end] as number),
    'detection.spending.tokens': shipped.spending.tokensMax,
    'detection.spending.cost_usd': shipped.spending.costUsdMax,
    'detection.spaced': shipped.spacedMs,
    'detection.pollers': shipped.pollers,
  };
}
