import { FINDING_KINDS } from '../packages/core/src/vocabulary/finding.ts';
import type { RecordedRun } from './steps-file.ts';
import { judge } from './verdict.ts';

/** What docs/judge.md says about the real runs, with a little room for better detectors. */
const SUCCESSES_MAX = 2;
const FAILURES_MIN = 20;

type Band = {
  /** Without an act of a detector. */
  readonly leftAlone: number;
  /** Of these, by outcome, those in which work varied and brought nothing. */
  readonly asked: Readonly<Record<RecordedRun['header']['outcome'], number>>;
};

/**
 * Runs as the judge of seed 003 sees them. They have no verdicts, so by rules it flags none; a model would be asked
 * about those whose calls vary and bring nothing.
 */
function bandOf(runs: readonly RecordedRun[]): Band {
  const asked = { success: 0, failure: 0, unknown: 0 };
  let leftAlone = 0;
  for (const { header, steps } of runs) {
    const { worst, steps: byKind } = judge(steps);
    if (worst === 'act') continue;
    leftAlone += 1;
    if ([...byKind.keys()].some((kind) => FINDING_KINDS[kind].isFruitless)) asked[header.outcome] += 1;
  }
  return { leftAlone, asked };
}

export function judgeBand(real: readonly RecordedRun[]): {
  readonly lines: readonly string[];
  readonly missed: readonly string[];
} {
  const { leftAlone, asked } = bandOf(real);
  const { success, failure, unknown } = asked;
  return {
    lines: [
      `${leftAlone} of ${real.length} runs are left alone by the detectors; the judge flags none of them by rules`,
      `${success + failure + unknown} of these would be asked about: ${failure} failed, ${success} succeeded, ${unknown} unknown`,
    ],
    missed: [
      ...(success > SUCCESSES_MAX
        ? [`successes in the band of the judge's model at most ${SUCCESSES_MAX}: ${success}`]
        : []),
      ...(failure < FAILURES_MIN
        ? [`failures in the band of the judge's model at least ${FAILURES_MIN}: ${failure}`]
        : []),
    ],
  };
}
