import type { FindingKind, Policy } from '@holter/core';
import type { PolicyProblem, Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { flag, inSeconds, oneOf } from './readers.ts';

/**
 * Seed 000 §2, `progress_detection`: what each observation means. `stuck` may act, `potential_loop` only warns, and
 * `healthy` is not judged.
 */
type ProgressVerdict = 'stuck' | 'potential_loop' | 'healthy';

const calls = 'progress_detection.tool_call_analysis';
const tokens = 'progress_detection.token_consumption';
const anyVerdict = oneOf<ProgressVerdict>(['stuck', 'potential_loop', 'healthy']);
const alwaysHealthy = oneOf(['healthy']);

export const PROGRESS_FIELDS = {
  'progress_detection.checkpoint_comparison': flag,
  [`${calls}.repeated_identical`]: anyVerdict,
  [`${calls}.diverse_calls`]: alwaysHealthy,
  // A large file is a large file: a spike never acts.
  [`${tokens}.sudden_spike`]: oneOf<ProgressVerdict>(['potential_loop', 'healthy']),
  [`${tokens}.zero_consumption`]: anyVerdict,
  [`${tokens}.steady_rate`]: alwaysHealthy,
} as const satisfies Table;

/** The seed's name for a setting that has another path here. */
export const PROGRESS_ALIASES = {
  [`${calls}.no_calls_threshold`]: inSeconds(ranges.threshold),
} as const satisfies Table;

type ProgressSettings = Values<typeof PROGRESS_FIELDS>;

export const defaultProgressSettings: ProgressSettings = {
  'progress_detection.checkpoint_comparison': true,
  [`${calls}.repeated_identical`]: 'stuck',
  [`${calls}.diverse_calls`]: 'healthy',
  [`${tokens}.sudden_spike`]: 'potential_loop',
  [`${tokens}.zero_consumption`]: 'stuck',
  [`${tokens}.steady_rate`]: 'healthy',
};

const REPEATS: readonly FindingKind[] = ['repeated-call', 'call-cycle', 'zero-diversity'];

export function buildSeverityMax(settings: ProgressSettings): Policy['severityMax'] {
  const verdicts: readonly (readonly [ProgressVerdict, readonly FindingKind[]])[] = [
    [settings['progress_detection.checkpoint_comparison'] ? 'stuck' : 'healthy', ['checkpoint-stale']],
    [settings[`${calls}.repeated_identical`], REPEATS],
    [settings[`${tokens}.sudden_spike`], ['token-spike']],
    [settings[`${tokens}.zero_consumption`], ['token-flat']],
  ];
  return Object.fromEntries(
    verdicts.flatMap(([verdict, kinds]) =>
      verdict === 'stuck' ? [] : kinds.map((kind) => [kind, verdict === 'healthy' ? 'none' : 'warn']),
    ),
  );
}

type Written = {
  readonly values: Partial<ProgressSettings>;
  readonly paths: Readonly<Record<string, string | undefined>>;
};

/** A limit beside the word that what it limits is not judged: one of the two was not meant. */
export function contradictions({ values, paths }: Written): readonly PolicyProblem[] {
  const repeated = values[`${calls}.repeated_identical`];
  const limits = /^detection\.(?:repeated_call|call_cycle|zero_diversity)\.(warn|act)$/;
  const hasNoUse = (path: string): boolean => {
    if (path === 'rules.checkpoint_warn' || path.endsWith('.checkpoint_stale_threshold_seconds'))
      return values['progress_detection.checkpoint_comparison'] === false;
    const end = limits.exec(path)?.[1];
    return end !== undefined && (repeated === 'healthy' || (repeated === 'potential_loop' && end === 'act'));
  };
  return Object.keys(paths)
    .filter(hasNoUse)
    .map((path) => {
      const key = path.startsWith('detection.')
        ? (`${calls}.repeated_identical` as const)
        : 'progress_detection.checkpoint_comparison';
      const word = `${paths[key]}: ${values[key]}`;
      return { path: paths[path] ?? path, message: `has no effect beside ${word}; keep one` };
    });
}
